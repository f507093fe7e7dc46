export { askSystem } from './ask-system.ts'
export { createResolve, type Resolve, type ResolvedAddress, type ResolveOptions } from './resolve.ts'
