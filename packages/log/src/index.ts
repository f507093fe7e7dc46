export { type Crashes, logCrashes } from './crash.ts'
export { alertTo, createLog, endLog, type Log } from './log.ts'
