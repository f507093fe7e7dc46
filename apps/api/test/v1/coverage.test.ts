import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { operations } from './operations.ts'

/** `paymentIntents.create` is tested in `payment-intents/create.test.ts`, `checkout.sessions.list` in `checkout/sessions/list.test.ts`. */
const fileOf = (id: string) => {
  const path = id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('.', '/')
  return new URL(`${path}.test.ts`, import.meta.url)
}

describe('every operation of the contract', () => {
  test.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s has a test file with a describe for each status of its own',
    async (id, { ok, path, query, body }) => {
      const text = await readFile(fileOf(id), 'utf8')
      const statuses = [ok.status, ...((query ?? body) ? [400] : []), ...(path.includes('{') ? [404] : [])]
      for (const status of statuses) expect(text).toContain(`describe('${status}'`)
    },
  )
})
