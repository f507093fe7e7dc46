import { eventTypes } from '@merchant-payments/contract/words'
import { days } from '../ui/filters.tsx'
import { ListScreen } from '../ui/list-screen.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Status } from '../ui/status.tsx'
import { Time } from '../ui/time.tsx'
import { i18n } from '../i18n.ts'
import { zoneName } from '../zone.ts'

export const EventsScreen = () => (
  <ListScreen
    title={i18n.t('Events')}
    about={i18n.t('What the merchants are told. Each event goes to every endpoint of its merchant.')}
    name="events"
    empty={i18n.t('No matching events. Remove a filter, or choose a longer time.')}
    fields={[
      { name: 'type', label: i18n.t('Event type'), choices: eventTypes },
      { name: 'merchant', label: i18n.t('Merchant'), choices: 'merchants' },
      ...days,
    ]}
    columns={[
      { head: i18n.t('Created, {zone}', { zone: zoneName }), cell: ({ created }) => <Time at={created} /> },
      { head: i18n.t('Event'), cell: ({ id }) => <ObjectLink id={id} /> },
      { head: i18n.t('Type'), cell: ({ type }) => type },
      { head: i18n.t('Fan-out'), cell: ({ state }) => <Status of={state} /> },
      { head: i18n.t('Merchant'), cell: ({ merchant }) => merchant },
      { head: i18n.t('Request'), cell: ({ request_id: id }) => id && <code>{id}</code> },
    ]}
  />
)
