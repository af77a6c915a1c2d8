/**
 * What all functions have in common. It holds for functions that are declared after this file has been loaded.
 */
import { isPermanent } from './stage.ts'

const { accountId } = aws.getCallerIdentityOutput({})
const { region } = aws.getRegionOutput({})

$transform(sst.aws.Function, (args) => {
  args.runtime = 'nodejs24.x'
  args.architecture = 'arm64'
  args.logging = { format: 'json', retention: isPermanent ? '3 months' : '1 week' }
  args.transform = {
    ...args.transform,
    role: (role) => {
      // SST 4.17 also lets everybody in the account assume the role
      role.assumeRolePolicy = aws.iam.assumeRolePolicyForPrincipal({ Service: 'lambda.amazonaws.com' })
      // and attaches a managed policy with which a function can write every log of the account
      role.managedPolicyArns = []
    },
  }
  args.permissions = $resolve([args.permissions ?? []]).apply(([permissions]) => [
    ...permissions,
    {
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [
        $interpolate`arn:aws:logs:${region}:${accountId}:log-group:/aws/lambda/${$app.name}-${$app.stage}-*:*`,
      ],
    },
  ])
})
