export { readConfig } from './command-line.ts'
export { exitOnFailedStart } from './failed-start.ts'
export { listen } from './listen.ts'
export { startFaultOf } from './start-fault.ts'
