#!/bin/sh
# The first process of a container: start.sh LANGUAGE HEAP_MIB. Its standard streams are the channel; the guest gets
# them as descriptors 3 and 4, so that what a program prints by mistake never enters it, and an empty environment.
exec 3<&0 4>&1 0</dev/null 1>/dev/null 2>&1
guest=/toolwright/guest
path=/usr/local/bin:/usr/bin:/bin
# Not by way of a subshell: the guest looks whether it is the second process here, and so knows what is not its own.
case $1 in
  javascript) env -i PATH=$path node --experimental-vm-modules --no-warnings "--max-old-space-size=$2" $guest/node.cjs 3 4 ;;
  python) env -i PATH=$path python3 -I -S -B $guest/python/main.py 3 4 ;;
esac
status=$?
# 137 tells the host that this process was killed from outside; a guest that was killed inside met its memory limit.
[ $status -eq 137 ] && exit 101
exit $status
