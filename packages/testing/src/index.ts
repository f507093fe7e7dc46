export { cloneDatabase, type TestDatabase } from './database.ts'
export { openProxy, type Proxy } from './proxy.ts'
