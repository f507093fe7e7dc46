export { configSchema } from './json-schema.ts'
export { findSettings, listSettings, type Setting } from './settings.ts'
