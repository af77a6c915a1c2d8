/**
 * How much the readers of MCP servers take, when nobody raised it there. A longer message ends the connection (stdio)
 * or is refused, and the server then waits in vain (HTTP); so a host gives the matching pair to its connection.
 */

/** What a connection can carry. */
export interface Ceilings {
  /** Most bytes of a file; as base64 it becomes a third longer. */
  readonly maxReadBytes: number
  /** Most bytes of one JSON-RPC message. */
  readonly maxFrameBytes: number
}

/** TypeScript servers over stdio: 10 MiB for a message, counted with up to one 64 KiB chunk of the next. */
export const stdioCeilings: Ceilings = { maxReadBytes: 7_800_000, maxFrameBytes: 10_420_224 }

/** TypeScript servers over Streamable HTTP: 4 MiB for a request body. */
export const httpCeilings: Ceilings = { maxReadBytes: 3_100_000, maxFrameBytes: 4_194_304 }
