import { relative } from 'node:path'
import type { StackFile } from './stack-file.ts'

interface Places {
  readonly repositoryDir: string
  readonly packageDir: string
}

/** Its ending waits for a person; the rail's other numbers decide by themselves. */
const HANDSET_NUMBER = '237670000000'
const NAME_WIDTH = 12

/** Below the screen: the payer's link, and the numbers to type there. */
export const renderPayerLink = (link: string): string => `
Or open this as the payer. There type 6 70 00 00 01, which pays by itself,
6 70 00 00 00, which asks the handset, or 6 90 00 00 01, which goes on to the
page of Orange Money:

${link}
`

/** Everything a newcomer needs, on one screen of 80 by 24. */
export function renderScreen(file: StackFile, { repositoryDir, packageDir }: Places): string {
  const { push_rail: pushRail, redirect_rail: redirectRail } = file.mock_rails
  const rails = [pushRail, redirectRail].filter((code) => code !== null)
  const rows = [
    ['API', `${file.base_url}  rails: ${rails.join(', ')}`],
    ...(file.dashboard_url === null
      ? []
      : [['Dashboard', `${file.dashboard_url}  for staff: sign in as anybody`]]),
    ['Reference', `${file.base_url}/reference  every call of the API, described`],
    ['Handset', `${file.mock_rails.control_url}  the payer's phone: approve or refuse there`],
    ['Webhooks', `${file.webhook?.received_url ?? 'none'}  what the shop was sent`],
    ['PostgreSQL', withoutPassword(file.database_url)],
    ['Client', `${file.client_id}, its key in ${relative(repositoryDir, file.private_key_file)}`],
  ]
  return `Merchant Payments is ready.  npx pnpm@12 demo: four payments.  Ctrl-C: stop

${rows.map(([name = '', value]) => `  ${name.padEnd(NAME_WIDTH)}${value}`).join('\n')}

Paste this in another terminal, then approve the payment on the handset:

${snippetOf(file, relative(packageDir, file.private_key_file))}`
}

function withoutPassword(databaseUrl: string): string {
  const url = URL.parse(databaseUrl)
  if (url === null) return 'the one given'
  url.password = ''
  return url.href
}

const snippetOf = (file: StackFile, key: string): string => `\
(cd tools/stack && ../../node_modules/.bin/node --input-type=module <<'END'
import { readFileSync } from 'node:fs'
import { createMerchantPayments } from '@merchant-payments/node-sdk'
const { paymentIntents } = createMerchantPayments({
  baseUrl: '${file.base_url}', clientId: '${file.client_id}',
  privateKey: readFileSync('${key}', 'utf8') })
const { id } = await paymentIntents.create({ amount: 2500, currency: 'XAF',
  payment_method_types: ['${file.mock_rails.push_rail ?? ''}'] })
console.log(await paymentIntents.confirm(id, { payment_method_data:
  { ${file.mock_rails.push_rail ?? ''}: { msisdn: '${HANDSET_NUMBER}' } } }))
END
)`
