export { alertTo, createLog, type Log } from './log.ts'
