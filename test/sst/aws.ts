/**
 * What AWS would answer: the identifiers of a resource that is created, and what a lookup returns.
 */

const account = '123456789012'
const region = 'us-east-1'

type Inputs = Record<string, unknown>

const arns: Record<string, (name: string) => string> = {
  'aws:s3/bucket:Bucket': (name) => `arn:aws:s3:::${name}`,
  'aws:sqs/queue:Queue': (name) => `arn:aws:sqs:${region}:${account}:${name}`,
  'aws:dynamodb/table:Table': (name) => `arn:aws:dynamodb:${region}:${account}:table/${name}`,
  'aws:lambda/function:Function': (name) => `arn:aws:lambda:${region}:${account}:function:${name}`,
  'aws:iam/role:Role': (name) => `arn:aws:iam::${account}:role/${name}`,
  'aws:iam/policy:Policy': (name) => `arn:aws:iam::${account}:policy/${name}`,
  'aws:sns/topic:Topic': (name) => `arn:aws:sns:${region}:${account}:${name}`,
  'aws:cloudwatch/logGroup:LogGroup': (name) => `arn:aws:logs:${region}:${account}:log-group:${name}`,
}

/** The id and the outputs of a created resource. */
export function created(type: string, logicalName: string, inputs: Inputs): { id: string; state: Inputs } {
  const name = String(inputs.name ?? inputs.bucket ?? logicalName)
  const state: Inputs = {
    ...inputs,
    name,
    arn: arns[type]?.(name) ?? `arn:aws:mock:${region}:${account}:${name}`,
  }
  if (type === 'aws:s3/bucket:Bucket') state.bucket = name
  if (type === 'aws:sqs/queue:Queue') state.url = `https://sqs.${region}.amazonaws.com/${account}/${name}`
  if (type === 'aws:lambda/functionUrl:FunctionUrl')
    state.functionUrl = 'https://abc.lambda-url.us-east-1.on.aws/'
  if (type === 'random:index/randomBytes:RandomBytes') Object.assign(state, { base64: 'AAAA', hex: '000000' })
  return { id: String(state.url ?? name), state }
}

/** The answer to a lookup. */
export function lookedUp(token: string, inputs: Inputs): Inputs {
  switch (token) {
    case 'aws:iam/getPolicyDocument:getPolicyDocument':
      return { ...inputs, id: 'policy', json: policyJson(inputs.statements) }
    case 'aws:index/getCallerIdentity:getCallerIdentity':
      return { accountId: account, arn: `arn:aws:iam::${account}:user/mock`, userId: 'mock', id: account }
    case 'aws:index/getPartition:getPartition':
      return { partition: 'aws', dnsSuffix: 'amazonaws.com', id: 'aws' }
    case 'aws:index/getRegion:getRegion':
      return { region, name: region, id: region }
    default:
      return inputs
  }
}

interface Statement {
  effect?: string
  actions: string[]
  resources?: string[]
  principals?: { type: string; identifiers: string[] }[]
  conditions?: { test: string; variable: string; values: string[] }[]
}

/** A policy document as IAM reads it; every list stays a list, so that tests compare one form. */
function policyJson(statements: unknown): string {
  const Statement = ((statements ?? []) as Statement[]).map((each) => ({
    Effect: each.effect ?? 'Allow',
    Action: each.actions,
    Resource: each.resources,
    Principal: each.principals,
    Condition: each.conditions?.map(({ test, variable, values }) => [test, variable, ...values]),
  }))
  return JSON.stringify({ Version: '2012-10-17', Statement })
}
