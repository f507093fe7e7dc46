import { refuseOldNode } from '@merchant-payments/process/old-node'

// Also an old Node runs this file, and says in one line that it is too old.
refuseOldNode('worker')
await import('./src/main.ts')
