export { alertTo, createLog, endLog, type Log } from './log.ts'
