# Metabase's program comes from the user; Java from Debian.
. ./apt.sh
install_packages default-jre-headless
install -D -o user -g user -m 644 metabase.jar /home/user/projects/metabase/metabase.jar
chown user:user /home/user/projects /home/user/projects/metabase
python3 -m venv --without-pip /home/user/anaconda3/envs/metabase
chown -R user:user /home/user/anaconda3
note_packages metabase default-jre-headless
