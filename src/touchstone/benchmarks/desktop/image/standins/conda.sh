# Stands in for conda's shell functions; sourced from /home/user/anaconda3/etc/profile.d/conda.sh and from ~/.bashrc.
#
# The environments are plain virtual environments in /home/user/anaconda3/envs, there when their layer is in the image.
# Does: conda activate [NAME], deactivate, env list, info --envs, run -n NAME COMMAND…, --version.
# Does not: install, create or remove anything; `base` is the desktop's own Python.

export CONDA_ROOT="${CONDA_ROOT:-/home/user/anaconda3}"

conda() {
    case "${1-}" in
        activate) _conda_activate "${2:-base}" ;;
        deactivate) _conda_deactivate ;;
        env | info) _conda_list ;;
        run) _conda_run "${@:2}" ;;
        --version | -V) echo "conda 24.5.0 (stand-in)" ;;
        *)
            echo "conda: this stand-in has only activate, deactivate, env list and run; not '${1-}'" >&2
            return 1
            ;;
    esac
}

_conda_activate() {
    local folder="$CONDA_ROOT/envs/$1"
    if [ "$1" = base ]; then
        _conda_deactivate
        export CONDA_DEFAULT_ENV=base
        return 0
    fi
    if [ ! -x "$folder/bin/python" ]; then
        printf '\nEnvironmentNameNotFound: Could not find conda environment: %s\n' "$1" >&2
        return 1
    fi
    _conda_deactivate
    export CONDA_DEFAULT_ENV="$1" CONDA_PREFIX="$folder" PATH="$folder/bin:$PATH"
    [ -z "${PS1-}" ] || PS1="($1) $PS1"
    hash -r 2> /dev/null
    return 0
}

_conda_deactivate() {
    if [ -n "${CONDA_PREFIX-}" ]; then
        PATH=":$PATH:"
        PATH="${PATH/":$CONDA_PREFIX/bin:"/:}"
        PATH="${PATH#:}"
        PATH="${PATH%:}"
        [ -z "${PS1-}" ] || PS1="${PS1#"($CONDA_DEFAULT_ENV) "}"
    fi
    unset CONDA_PREFIX CONDA_DEFAULT_ENV
    hash -r 2> /dev/null
    return 0
}

_conda_list() {
    printf '# conda environments:\n#\n%-24s %s\n' base "$CONDA_ROOT"
    local folder
    for folder in "$CONDA_ROOT"/envs/*/; do
        [ ! -x "$folder/bin/python" ] || printf '%-24s %s\n' "$(basename "$folder")" "${folder%/}"
    done
}

_conda_run() (
    [ "${1-}" != --no-capture-output ] || shift
    case "${1-}" in
        -n | --name) _conda_activate "$2" || exit 1; shift 2 ;;
    esac
    "$@"
)
