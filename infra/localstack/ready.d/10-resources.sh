#!/usr/bin/env bash
# Made by "npm run localstack:script" from infra/definitions.ts: change that, not this.
set -euo pipefail
aws="${AWS_CLI:-awslocal}"

arn() {
  $aws sqs get-queue-attributes --queue-url "$1" --attribute-names QueueArn --query Attributes.QueueArn --output text
}

dead_letters=$($aws sqs create-queue --queue-name dead-letters \
  --attributes MessageRetentionPeriod=1209600 --query QueueUrl --output text)
events=$($aws sqs create-queue --queue-name index --query QueueUrl --output text)
events_arn=$(arn "$events")
$aws sqs set-queue-attributes --queue-url "$events" --attributes "$(cat <<JSON
{
  "VisibilityTimeout": "360",
  "MessageRetentionPeriod": "1209600",
  "RedrivePolicy": "{\"deadLetterTargetArn\":\"$(arn "$dead_letters")\",\"maxReceiveCount\":\"5\"}",
  "Policy": "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":{\"Service\":\"s3.amazonaws.com\"},\"Action\":\"sqs:SendMessage\",\"Resource\":\"$events_arn\",\"Condition\":{\"ArnEquals\":{\"aws:SourceArn\":\"arn:aws:s3:::files\"}}}]}"
}
JSON
)"

if ! $aws dynamodb describe-table --table-name files >/dev/null 2>&1; then
  $aws dynamodb create-table --table-name files --billing-mode PAY_PER_REQUEST \
    --attribute-definitions AttributeName=pk,AttributeType=S AttributeName=sk,AttributeType=S \
    --key-schema AttributeName=pk,KeyType=HASH AttributeName=sk,KeyType=RANGE >/dev/null
  $aws dynamodb wait table-exists --table-name files
  $aws dynamodb update-time-to-live --table-name files \
    --time-to-live-specification Enabled=true,AttributeName=expiresAtSec >/dev/null
fi

if ! $aws dynamodb describe-table --table-name buckets >/dev/null 2>&1; then
  $aws dynamodb create-table --table-name buckets --billing-mode PAY_PER_REQUEST \
    --attribute-definitions AttributeName=pk,AttributeType=S \
    --key-schema AttributeName=pk,KeyType=HASH >/dev/null
  $aws dynamodb wait table-exists --table-name buckets
  $aws dynamodb update-time-to-live --table-name buckets \
    --time-to-live-specification Enabled=true,AttributeName=expiresAtSec >/dev/null
fi

if ! $aws s3api head-bucket --bucket files >/dev/null 2>&1; then
  $aws s3api create-bucket --bucket files >/dev/null
fi
$aws s3api put-bucket-versioning --bucket files --versioning-configuration Status=Enabled
$aws s3api put-bucket-lifecycle-configuration --bucket files --lifecycle-configuration '{"Rules":[{"ID":"tidy","Status":"Enabled","Filter":{"Prefix":""},"NoncurrentVersionExpiration":{"NoncurrentDays":30},"AbortIncompleteMultipartUpload":{"DaysAfterInitiation":7}}]}' >/dev/null
$aws s3api put-bucket-notification-configuration --bucket files --notification-configuration "$(cat <<JSON
{
  "QueueConfigurations": [
    {
      "Id": "Index",
      "QueueArn": "$events_arn",
      "Events": ["s3:ObjectCreated:*","s3:ObjectRemoved:*","s3:LifecycleExpiration:*"],
      "Filter": { "Key": { "FilterRules": [{ "Name": "prefix", "Value": "files/" }] } }
    }
  ]
}
JSON
)"
echo 'ready: bucket files, tables files and buckets, queues index and dead-letters'
