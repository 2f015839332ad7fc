#!/usr/bin/env bash
# What a stranger does, in a fresh Debian 12 made by debootstrap: the README's two commands, then the
# .deb and a ten-line program that uses it. Needs root, debootstrap and git; too slow for ctest.
#
#   tests/clean_root/run.sh <folder for the root> [mirror]
#
# The mirror is the one that apt uses here, unless one is given. The folder must not exist; it is
# left behind for a look, and can be deleted when nothing is mounted in it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_tree=$(cd "$here/../.." && pwd)
root=$1
mirror=${2:-$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)}

say() { printf '\n==== %s\n' "$*"; }

say "debootstrap of bookworm"
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.debootstrap.log"
mount --bind /proc "$root/proc"
mount --bind /dev "$root/dev"
trap 'umount "$root/dev" "$root/proc"' EXIT
# The network as it is here: names, and apt's way out.
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
cp -L /etc/hosts "$root/etc/hosts"
cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
  ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} bash -euo pipefail -c "$1"; }

git clone --quiet "$source_tree" "$root/root/backstitch"
for workflow in quickstart test; do
  command=$(grep -E "^apt-get .*&& cmake --workflow --preset $workflow\$" "$source_tree/README.md")
  say "$command"
  inside "cd /root/backstitch && $command"
done

say "the package, and a program that uses it"
inside "cd /root/backstitch && cmake --workflow --preset package"
mv "$root"/root/backstitch/build/quickstart/*.deb "$root/root/"
rm -rf "$root/root/backstitch"
mkdir "$root/root/user"
cp "$source_tree/tests/consumers/main.cpp" "$source_tree/tests/consumers/find_package/CMakeLists.txt" \
  "$root/root/user/"
sed -i 's|\.\./main\.cpp|main.cpp|' "$root/root/user/CMakeLists.txt"
inside "dpkg -i /root/libbackstitch-dev_*_all.deb"
by_cmake=$(inside "cd /root/user && cmake -G Ninja -S . -B build >&2 && cmake --build build >&2 && build/consumer")
by_hand=$(inside "cd /root/user && g++ -std=c++20 -O2 -pthread main.cpp -o by_hand && ./by_hand")
if [[ $by_cmake != "sum 10" || $by_hand != "sum 10" ]]; then
  echo "the program prints '$by_cmake' and '$by_hand' instead of 'sum 10'" >&2
  exit 1
fi
inside "dpkg -r libbackstitch-dev && ! test -e /usr/include/backstitch"
say "all of it works"
