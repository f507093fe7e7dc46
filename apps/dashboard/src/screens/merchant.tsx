import type { MerchantDetail } from '@merchant-payments/contract'
import { Link, useParams } from '@tanstack/react-router'
import { useRead } from '../queries.ts'
import { since } from '../search.ts'
import { countOf } from '../ui/count.ts'
import { Facts } from '../ui/facts.tsx'
import { History } from '../ui/history.tsx'
import { LoadedPage } from '../ui/loaded.tsx'
import { Money } from '../ui/money.tsx'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { TotalsLine, type TotalsName } from '../ui/totals.tsx'
import { Time } from '../ui/time.tsx'
import { wordOf } from '../ui/words.ts'
import { ClientActions } from './merchants.tsx'
import { RecoverButton } from './recover-button.tsx'
import { formatLocale, i18n } from '../i18n.ts'
import { ownZone } from '../zone.ts'

const REFRESH_MS = 15_000

export function MerchantScreen() {
  const { id } = useParams({ from: '/merchants/$id' })
  const merchant = useRead('merchantClient', { id }, { everyMs: REFRESH_MS })
  return (
    <LoadedPage title={i18n.t('Merchant')} of={merchant}>
      {(detail) => <Merchant key={detail.id} merchant={detail} />}
    </LoadedPage>
  )
}

const Merchant = ({ merchant }: { merchant: MerchantDetail }) => (
  <Page
    title={i18n.t('Merchant {id}', { id: merchant.id })}
    heading={
      <>
        {merchant.name ?? merchant.id} <Status of={merchant.disabled === null ? 'enabled' : 'disabled'} />
      </>
    }
    about={merchant.id}
    actions={<ClientActions client={merchant} />}
  >
    <div className="columns">
      <Section title={i18n.t('Payments of the last 24 hours')}>
        {isCut(merchant) && (
          <p className="quiet">
            {i18n.t('Only the newest {most} are counted.', {
              most: merchant.counted_at_most.toLocaleString(formatLocale),
            })}
          </p>
        )}
        <Table
          caption={i18n.t('Payments of the last 24 hours')}
          columns={[
            {
              head: i18n.t('Status'),
              cell: ({ status, currency }) => (
                <Link
                  to="/payments"
                  search={{ merchant: merchant.id, status, currency, ...since(merchant.since, ownZone) }}
                >
                  <Status of={status} />
                </Link>
              ),
            },
            { head: i18n.t('Payments'), isFigure: true, cell: ({ count }) => count },
            {
              head: i18n.t('Amount'),
              isFigure: true,
              cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
            },
          ]}
          rows={merchant.volume}
          keyOf={({ status, currency }) => `${status} ${currency}`}
          empty={i18n.t('None.')}
        />
      </Section>
      <aside aria-label={i18n.t('About this merchant')}>
        <Facts
          of={[
            [i18n.t('Disabled'), merchant.disabled && <Time key="t" at={merchant.disabled.at} />],
            [i18n.t('Reason'), merchant.disabled?.reason ?? null],
            [i18n.t('Scopes'), merchant.scopes.join(' ')],
            [i18n.t('Keys'), merchant.key_ids.join(', ')],
          ]}
        />
      </aside>
    </div>
    <Ways merchant={merchant.id} />
    {merchant.endpoints.map((endpoint) => (
      <Endpoint key={endpoint.id} merchant={merchant} endpoint={endpoint} />
    ))}
    <Section title={i18n.t('Totals')}>
      <p className="quiet">{i18n.t('In every state, also those that were never paid.')}</p>
      <Total list={i18n.t('Payments')} name="paymentTotals" merchant={merchant.id} />
      <Total list={i18n.t('Refunds')} name="refundTotals" merchant={merchant.id} />
    </Section>
    <History name="clientActivity" id={merchant.id} />
  </Page>
)

const isCut = ({ volume, counted_at_most: most }: MerchantDetail): boolean =>
  volume.reduce((sum, { count }) => sum + count, 0) >= most

interface TotalProps {
  readonly list: string
  readonly name: TotalsName
  readonly merchant: string
}

const Total = ({ list, name, merchant }: TotalProps) => (
  <div className="total">
    <b>{list}</b> <TotalsLine name={name} query={{ merchant }} />
  </div>
)

const Ways = ({ merchant }: { merchant: string }) => (
  <ul className="ways">
    <li>
      <Link to="/payments" search={{ merchant }}>
        {i18n.t('Payments')}
      </Link>
    </li>
    <li>
      <Link to="/events" search={{ merchant }}>
        {i18n.t('Events')}
      </Link>
    </li>
    <li>
      <Link to="/customers" search={{ merchant }}>
        {i18n.t('Customers')}
      </Link>
    </li>
  </ul>
)

interface EndpointProps {
  readonly merchant: MerchantDetail
  readonly endpoint: MerchantDetail['endpoints'][number]
}

/** Says how many attempts succeeded, of those that the API counted. */
function succeededOf({ merchant, endpoint: { attempts, succeeded, is_cut: isCutShort } }: EndpointProps) {
  if (!isCutShort) {
    return attempts === 0
      ? i18n.t('None yet.')
      : i18n.t('{succeeded} of {attempts} attempts. Only the newest {most} are counted.', {
          succeeded,
          attempts,
          most: merchant.looked_at_most,
        })
  }
  const most = merchant.searched_at_most.toLocaleString(formatLocale)
  return attempts === 0
    ? i18n.t('No attempt among the merchant’s newest {most} deliveries.', { most })
    : i18n.t('{succeeded} of {attempts} attempts, among the merchant’s newest {most} deliveries.', {
        succeeded,
        attempts,
        most,
      })
}

function Endpoint({ merchant: detail, endpoint }: EndpointProps) {
  const { id: merchant } = detail
  const { id, url } = endpoint
  const list = { merchant, endpoint: id }
  return (
    <Section
      title={i18n.t('Endpoint {id}', { id })}
      actions={endpoint.exhausted > 0 && <RecoverButton merchant={merchant} endpoint={id} />}
    >
      <Facts
        of={[
          [i18n.t('Address'), <code key="u">{url}</code>],
          [i18n.t('Succeeded'), succeededOf({ merchant: detail, endpoint })],
          [i18n.t('Last success'), <Time key="t" at={endpoint.last_success_at} />],
          [
            i18n.t('Time of an attempt'),
            endpoint.p50_ms !== null &&
              i18n.t('half within {p50} ms, 95% within {p95} ms', {
                p50: endpoint.p50_ms,
                p95: endpoint.p95_ms,
              }),
          ],
          [
            i18n.t('Failures'),
            endpoint.failures.map(({ cause, count }) => `${wordOf(cause)}: ${count}`).join(', '),
          ],
          [
            i18n.t('Exhausted'),
            <Link key="x" to="/deliveries" search={{ ...list, status: 'exhausted' }}>
              {countOf(endpoint.exhausted)}
            </Link>,
          ],
          [i18n.t('Due now'), countOf(endpoint.due)],
          [
            i18n.t('Secrets'),
            endpoint.secrets > 1
              ? i18n.t('{count}, so a rotation is under way', { count: endpoint.secrets })
              : endpoint.secrets,
          ],
        ]}
      />
    </Section>
  )
}
