import type { StaffEventDetail } from '@merchant-payments/contract'
import { useParams } from '@tanstack/react-router'
import { useRead } from '../queries.ts'
import { CopiedId } from '../ui/copied-id.tsx'
import { Facts } from '../ui/facts.tsx'
import { LoadedPage } from '../ui/loaded.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { Status } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { counted } from './payment/related.tsx'
import { deliveryColumns } from './columns/delivery-columns.tsx'
import { aboutOf } from './delivery/about-of.ts'
import { RawBody } from './delivery/raw-body.tsx'
import { i18n } from '../i18n.ts'

const REFRESH_MS = 5_000

export function EventScreen() {
  const { id } = useParams({ from: '/events/$id' })
  const event = useRead('event', { id }, { everyMs: REFRESH_MS })
  return (
    <LoadedPage title={i18n.t('Event')} of={event}>
      {(detail) => <Event key={detail.id} event={detail} />}
    </LoadedPage>
  )
}

const Event = ({ event }: { event: StaffEventDetail }) => (
  <Page
    title={i18n.t('Event {id}', { id: event.id })}
    heading={
      <>
        {event.type} <Status of={event.state} />
      </>
    }
    about={<CopiedId id={event.id} />}
  >
    <div className="columns">
      <Section title={i18n.t('Deliveries')} {...counted(event.deliveries)}>
        <Table
          caption={i18n.t('Deliveries')}
          columns={deliveryColumns}
          rows={event.deliveries}
          keyOf={({ id }) => id}
          empty={i18n.t('None yet.')}
        />
      </Section>
      <aside aria-label={i18n.t('About this event')}>
        <Facts
          of={[
            [i18n.t('Merchant'), event.merchant],
            [i18n.t('About'), <ObjectLink key="o" id={aboutOf(event.body)} />],
            [i18n.t('Created'), <Time key="t" at={event.created} />],
            [i18n.t('Request'), event.request_id && <code>{event.request_id}</code>],
          ]}
        />
      </aside>
    </div>
    <RawBody text={event.body} />
  </Page>
)
