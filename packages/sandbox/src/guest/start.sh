#!/bin/sh
# The first process of a container: start.sh LANGUAGE HEAP_MIB. Its standard streams are the channel. The guest has them
# as descriptors 3 and 4, so that accidental output of a program never enters the channel. Its environment is empty.
exec 3<&0 4>&1 0</dev/null 1>/dev/null 2>&1
guest=/toolwright/guest
path=/usr/local/bin:/usr/bin:/bin
# Each thread of a numeric package reserves memory, and a program has one processor.
threads='OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1'
# Without a subshell: the guest checks whether it is the second process here, to distinguish other processes from its
# own.
case $1 in
  javascript) env -i PATH=$path node --experimental-vm-modules --no-warnings "--max-old-space-size=$2" $guest/node.cjs 3 4 ;;
  python) env -i PATH=$path PYTHONHASHSEED=0 $threads python3 -s -S -B $guest/python/main.py 3 4 ;;
esac
status=$?
# 137 means that this process was killed from outside. A guest that was killed inside has reached its memory limit.
[ $status -eq 137 ] && exit 101
exit $status
