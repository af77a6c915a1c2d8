/**
 * The bucket, the two tables, and the policy for hosts that store files. Rights are given one by one, by action and
 * resource: linking these components would grant everything on them.
 */
import { parseUploadOrigins, uploadCors } from './cors.ts'
import { bucketsTable, filesTable, filesBucket as rules } from './definitions.ts'
import { isPermanent, isProduction, present } from './stage.ts'

/** None unless pages of some origins are to upload with URLs that a host signed. */
const [uploads] = uploadCors(parseUploadOrigins(present('UPLOAD_ORIGINS').UPLOAD_ORIGINS))

/** The files. */
export const filesBucket = new sst.aws.Bucket('FilesBucket', {
  versioning: true,
  cors: uploads
    ? {
        allowOrigins: uploads.AllowedOrigins,
        allowMethods: ['PUT'],
        allowHeaders: uploads.AllowedHeaders,
        exposeHeaders: uploads.ExposeHeaders,
        maxAge: `${uploads.MaxAgeSeconds} seconds`,
      }
    : false,
  // SST makes the one lifecycle resource of a bucket only for a rule of its own kind
  lifecycle: [{ id: 'unused', prefix: 'tmp/', expiresIn: '1 day' }],
  transform: {
    bucket: (args, opts) => {
      args.forceDestroy = !isPermanent
      opts.protect = isProduction
    },
    lifecycle: (args) => {
      args.rules = [
        {
          id: 'tidy',
          status: 'Enabled',
          filter: { prefix: '' },
          noncurrentVersionExpiration: { noncurrentDays: rules.noncurrentDays },
          abortIncompleteMultipartUpload: { daysAfterInitiation: rules.unfinishedUploadDays },
          expiration: { expiredObjectDeleteMarker: true },
        },
      ]
    },
  },
})

new aws.s3.BucketServerSideEncryptionConfiguration('FilesBucketEncryption', {
  bucket: filesBucket.name,
  rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: 'AES256' } }],
})

/** File items and index rows. */
export const files = new sst.aws.Dynamo('Files', {
  fields: { [filesTable.hashKey]: 'string', [filesTable.rangeKey]: 'string' },
  primaryIndex: { hashKey: filesTable.hashKey, rangeKey: filesTable.rangeKey },
  ttl: filesTable.ttl,
  deletionProtection: isPermanent,
  transform: {
    table: (_, opts) => {
      opts.protect = isProduction
    },
  },
})

/** Token buckets: worth nothing an hour later, so they are neither backed up nor protected. */
export const buckets = new sst.aws.Dynamo('Buckets', {
  fields: { [bucketsTable.hashKey]: 'string' },
  primaryIndex: { hashKey: bucketsTable.hashKey },
  ttl: bucketsTable.ttl,
  transform: {
    table: (args) => {
      args.pointInTimeRecovery = { enabled: false }
    },
  },
})

/** All objects that are files. */
export const fileObjects = $interpolate`${filesBucket.arn}/${rules.prefix}*`

/** For the roles of hosts that store, tag, share and delete files with this project's library. */
export const filesWriter = new aws.iam.Policy('FilesWriter', {
  name: `${$app.name}-${$app.stage}-FilesWriter`,
  description: 'Store, tag, share and delete files of the file resolver',
  policy: aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        actions: ['s3:PutObject', 's3:GetObject', 's3:GetObjectVersion', 's3:DeleteObject'],
        resources: [fileObjects],
      },
      { actions: ['s3:ListBucket'], resources: [filesBucket.arn] },
      { actions: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'], resources: [files.arn] },
    ],
  }).json,
})
