export { cloneDatabase, type TestDatabase } from './database.ts'
export { holdTransaction } from './hold-transaction.ts'
export { lockTable } from './lock-table.ts'
export { openProxy, type Proxy } from './proxy.ts'
