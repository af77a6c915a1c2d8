/**
 * Who may see a file: the only place that knows the rule (contract 5). What is absent denies.
 */

/** For whom a request acts; it comes from the verified token alone. */
export interface Caller {
  readonly workspaceId: string
  readonly userId: string
  readonly serverId: string
}

/** What access is decided on. */
export interface Guarded {
  readonly workspaceId: string
  readonly ownerId: string
  readonly visibility: 'private' | 'shared'
  readonly readers: readonly string[]
}

/** True when the caller is in the file's workspace and owns it, is one of its readers, or it is shared. */
export function canRead(caller: Caller, file: Guarded): boolean {
  if (file.workspaceId !== caller.workspaceId) return false
  if (file.ownerId === caller.userId) return true
  return file.visibility === 'shared' || file.readers.includes(caller.userId)
}
