// By the package's name, so that the published types of both entries have one symbol.
import type { allowInsecureBaseUrl as symbolOfClient } from '@merchant-payments/payer-client'
import { allowInsecureBaseUrl as symbol } from '../src/base-url.ts'

/** The `allowInsecureBaseUrl` of the client. */
export const allowInsecureBaseUrl: typeof symbolOfClient = symbol
