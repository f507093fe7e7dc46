import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { good, load, spoiled } from './fixture.ts'

const MERCHANTS = 1_000
/** Some 3 KB were measured. */
const KEPT_BYTES_MAX = 20_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heapBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

test('a merchant of the configuration keeps a few kilobytes', () => {
  const [shop] = good().merchant_clients
  const clients = Array.from({ length: MERCHANTS }, (_, n) => ({
    ...shop,
    client_id: `shop_${n}`,
    publishable_key: `pk_${n}`,
  }))
  const document = spoiled([['livemode'], false], [['merchant_clients'], clients])
  const before = heapBytes()
  const config = load(document)
  const kept = (heapBytes() - before) / MERCHANTS
  expect(config.merchantClients).toHaveLength(MERCHANTS)
  expect(kept).toBeLessThan(KEPT_BYTES_MAX)
})
