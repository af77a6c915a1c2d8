// The parts of dynalite 4.0.0 that the local DynamoDB uses: it ships no types. Its actions and validations are
// loaded by name (see engine.ts), so only the helpers are declared here.

declare module 'dynalite/db/index.js' {
  type Item = Record<string, unknown>
  type Invalid = Error | null | undefined

  interface Table {
    TableName: string
    TableStatus: string
    KeySchema: { AttributeName: string; KeyType: string }[]
    AttributeDefinitions: { AttributeName: string; AttributeType: string }[]
  }

  const db: {
    validateKey(key: Item, table: Table): Invalid
    validateItem(item: Item, table: Table): Invalid
    createKey(item: Item, table: Table): string
    checkConditional(data: Record<string, unknown>, item: Item | undefined): Invalid
    itemSize(item: Item): number
    addConsumedCapacity(data: Record<string, unknown>, isRead: boolean, item: Item | undefined): unknown
  }
  export default db
  export type { Item, Table }
}

declare module 'dynalite/validations/index.js' {
  type Types = Record<string, unknown>
  type Custom = (data: Record<string, unknown>, store: unknown) => string | undefined

  const validations: {
    checkTypes(data: Record<string, unknown>, types: Types): Record<string, unknown>
    checkValidations(
      data: Record<string, unknown>,
      types: Types,
      custom: Custom | undefined,
      store: unknown,
    ): void
  }
  export default validations
  export type { Custom, Types }
}
