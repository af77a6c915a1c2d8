/**
 * The script that makes the resources inside LocalStack, from the definitions that the deployed stacks are made of:
 * `npm run localstack:script` writes it anew, and a test compares.
 */
import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { bucketsTable, filesBucket, filesTable, indexQueue, type TableDefinition } from '../definitions.ts'

/** Where the script is kept, relative to the project's root. */
export const scriptPath = 'infra/localstack/ready.d/10-resources.sh'

/** The script: it may run again, on what is there already. `awslocal` is in LocalStack's image. */
export function resourcesScript(): string {
  return `#!/usr/bin/env bash
# Made by "npm run localstack:script" from infra/definitions.ts: change that, not this.
set -euo pipefail
aws="\${AWS_CLI:-awslocal}"

arn() {
  $aws sqs get-queue-attributes --queue-url "$1" --attribute-names QueueArn --query Attributes.QueueArn --output text
}

dead_letters=$($aws sqs create-queue --queue-name dead-letters \\
  --attributes MessageRetentionPeriod=${indexQueue.keepSec} --query QueueUrl --output text)
events=$($aws sqs create-queue --queue-name index --query QueueUrl --output text)
events_arn=$(arn "$events")
$aws sqs set-queue-attributes --queue-url "$events" --attributes "$(cat <<JSON
{
  "VisibilityTimeout": "${indexQueue.visibilitySec}",
  "MessageRetentionPeriod": "${indexQueue.keepSec}",
  "RedrivePolicy": "{\\"deadLetterTargetArn\\":\\"$(arn "$dead_letters")\\",\\"maxReceiveCount\\":\\"${indexQueue.maxReceives}\\"}",
  "Policy": "{\\"Version\\":\\"2012-10-17\\",\\"Statement\\":[{\\"Effect\\":\\"Allow\\",\\"Principal\\":{\\"Service\\":\\"s3.amazonaws.com\\"},\\"Action\\":\\"sqs:SendMessage\\",\\"Resource\\":\\"$events_arn\\",\\"Condition\\":{\\"ArnEquals\\":{\\"aws:SourceArn\\":\\"arn:aws:s3:::files\\"}}}]}"
}
JSON
)"

${table('files', filesTable)}
${table('buckets', bucketsTable)}
if ! $aws s3api head-bucket --bucket files >/dev/null 2>&1; then
  $aws s3api create-bucket --bucket files >/dev/null
fi
$aws s3api put-bucket-versioning --bucket files --versioning-configuration Status=Enabled
$aws s3api put-bucket-lifecycle-configuration --bucket files --lifecycle-configuration '${JSON.stringify(lifecycle)}' >/dev/null
$aws s3api put-bucket-notification-configuration --bucket files --notification-configuration "$(cat <<JSON
{
  "QueueConfigurations": [
    {
      "Id": "Index",
      "QueueArn": "$events_arn",
      "Events": ${JSON.stringify(filesBucket.events)},
      "Filter": { "Key": { "FilterRules": [{ "Name": "prefix", "Value": "${filesBucket.prefix}" }] } }
    }
  ]
}
JSON
)"
echo 'ready: bucket files, tables files and buckets, queues index and dead-letters'
`
}

const lifecycle = {
  Rules: [
    {
      ID: 'tidy',
      Status: 'Enabled',
      Filter: { Prefix: '' },
      NoncurrentVersionExpiration: { NoncurrentDays: filesBucket.noncurrentDays },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: filesBucket.unfinishedUploadDays },
    },
  ],
}

function table(name: string, { hashKey, rangeKey, ttl }: TableDefinition): string {
  const keys = [hashKey, rangeKey].filter((key) => key !== undefined)
  const attributes = keys.map((key) => `AttributeName=${key},AttributeType=S`).join(' ')
  const schema = keys.map((key, i) => `AttributeName=${key},KeyType=${i === 0 ? 'HASH' : 'RANGE'}`).join(' ')
  return `if ! $aws dynamodb describe-table --table-name ${name} >/dev/null 2>&1; then
  $aws dynamodb create-table --table-name ${name} --billing-mode PAY_PER_REQUEST \\
    --attribute-definitions ${attributes} \\
    --key-schema ${schema} >/dev/null
  $aws dynamodb wait table-exists --table-name ${name}
  $aws dynamodb update-time-to-live --table-name ${name} \\
    --time-to-live-specification Enabled=true,AttributeName=${ttl} >/dev/null
fi
`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(scriptPath, resourcesScript(), { mode: 0o755 })
}
