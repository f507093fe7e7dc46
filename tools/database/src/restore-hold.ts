import { holdRestored } from '@merchant-payments/db'

const USAGE = `Usage: DATABASE_URL=<url> restore:hold
  Run it on a database that was restored to an earlier time, before any process of the service runs there.`

const EXIT_NOT_RUN = 2

try {
  const url = process.env['DATABASE_URL']
  if (!url || process.argv.length > 2) throw new Error(USAGE)
  const held = await holdRestored(url)
  for (const { object, rail, reference, merchantId } of held)
    console.log(`${rail} ${reference}, ${object} of ${merchantId}: held`)
  const charges = held.filter(({ object }) => object.startsWith('ch_')).length
  console.log(`Held charges: ${charges}, payouts: ${held.length - charges}.`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = EXIT_NOT_RUN
}
