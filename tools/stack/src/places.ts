import { fileURLToPath } from 'node:url'

export const repositoryDir = fileURLToPath(new URL('../../../', import.meta.url))
/** The folder from which a script can import the SDK. */
export const packageDir = fileURLToPath(new URL('../', import.meta.url))
