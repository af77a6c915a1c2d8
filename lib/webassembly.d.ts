/** The part of WebAssembly that escape.ts uses; TypeScript declares it with the browser's library only. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    constructor(module: Module)
    readonly exports: unknown
  }
}
