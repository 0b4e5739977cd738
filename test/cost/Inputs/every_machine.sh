# every_machine.sh FOLDER PLAN: `planc --help` names the machines of the folder and no others, and each prices the plan, by
# its name as by its file.
set -eu
named=$(planc --help | tr '\n' ' ' | tr -s ' ' | sed 's/.*one of the standard library (\([^)]*\)).*/\1/' | tr -d ',')
there=$(cd "$1" && ls ./*.plan | sed 's|^\./||; s|\.plan$||' | LC_ALL=C sort | tr '\n' ' ')
if [ "$named " != "$there" ]; then
    echo "--help names: $named"
    echo "there are:    $there"
    exit 1
fi
for name in $named; do
    planc cost "$2" --ranks 12 --layout data_parallel --machine "$name" 2>&1 | grep -q "of machine $name:"
    planc cost "$2" --ranks 12 --layout data_parallel --machine "std/machines/$name.plan" 2>&1 | grep -q "of machine $name:"
done
