#!/usr/bin/env bash
#SBATCH --job-name=align --array=1-16 --cpus-per-task=8 --mem=8G --time=12:00:00 --requeue
# Aligns pairs.tsv in 16 shards, one a task: sbatch slurm_array.sh. Without SLURM, one shard after the other.
# Submit it again after a failure, with all tasks or some (sbatch --array=3,7): finished shards are skipped.
set -euo pipefail
shards=${SHARDS:-16} # of the whole array: SLURM_ARRAY_TASK_COUNT is lower if only some tasks run again
for number in ${SLURM_ARRAY_TASK_ID:-$(seq "$shards")}; do
    # Exit status 1 says that some pairs have an error in their line.
    forest-align align pairs.tsv -o parts --shard "$number/$shards" --workers "${SLURM_CPUS_PER_TASK:-1}" || [ $? = 1 ]
done
# With SLURM, join in a job of its own: sbatch --dependency=afterok:JOB --wrap 'forest-align join parts -o …'
if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    forest-align join parts -o alignments.jsonl.gz
    gzip -cd alignments.jsonl.gz | wc -l
fi
