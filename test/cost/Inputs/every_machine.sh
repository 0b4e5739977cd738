# every_machine.sh FOLDER PLAN: each machine of the folder is named by `planc --help` and prices the plan
folder=$1 plan=$2
for file in "$folder"/*.plan; do
    name=$(basename "$file" .plan)
    if ! planc --help | grep -q "^ *NAME:.*\b$name\b"; then
        echo "planc --help does not name $name"
        exit 1
    fi
    if ! planc cost "$plan" --ranks 12 --layout data_parallel --machine "std/machines/$name.plan" |
        grep -q "of machine $name:"; then
        echo "$name does not price a step"
        exit 1
    fi
done
