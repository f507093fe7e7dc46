import { migrate } from '@merchant-payments/db'

const url = process.env['DATABASE_OWNER_URL']
if (!url) {
  console.error('Usage: DATABASE_OWNER_URL=<url of a member of merchant_payments_owner> migrate')
  process.exit(2)
}
await migrate(url)
console.log('The schema is up to date.')
