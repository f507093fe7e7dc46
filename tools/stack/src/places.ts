import { fileURLToPath } from 'node:url'

export const repositoryDir = fileURLToPath(new URL('../../../', import.meta.url))
/** Where a script finds the SDK. */
export const packageDir = fileURLToPath(new URL('../', import.meta.url))
