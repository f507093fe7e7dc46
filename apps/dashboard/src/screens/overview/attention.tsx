import type { Overview } from '@merchant-payments/contract'
import { Link } from '@tanstack/react-router'
import type { Search } from '../../search.ts'
import { countOf, isCut } from '../../ui/count.ts'
import { Icon } from '../../ui/icon.tsx'
import { Section } from '../../ui/section.tsx'
import { agoOf } from '../../ui/time.tsx'
import { i18n } from '../../i18n.ts'

interface Tile {
  readonly text: string
  readonly count: number
  readonly oldest: number | null
  /** True if a person must act; false for work that continues by itself. */
  readonly isWrong: boolean
  readonly to:
    | '/attention'
    | '/charges'
    | '/approvals'
    | '/deliveries'
    | '/fanouts'
    | '/refunds'
    | '/merchants'
  readonly search?: Search
}

/** Shows tiles that need a person first. */
export function Attention({ overview }: { overview: Overview }) {
  const tiles = tilesOf(overview)
  return (
    <>
      <Section title={i18n.t('Needs attention')}>
        <Tiles tiles={tiles.filter(({ isWrong }) => isWrong)} />
      </Section>
      <Section title={i18n.t('In progress')}>
        <Tiles tiles={tiles.filter(({ isWrong }) => !isWrong)} />
      </Section>
    </>
  )
}

const Tiles = ({ tiles }: { tiles: readonly Tile[] }) => (
  <ul className="tiles">
    {tiles.map(({ text, count, oldest, isWrong, to, search }) => (
      <li key={text} className={isWrong && count > 0 ? 'tile wrong' : 'tile'}>
        <Link to={to} search={search ?? {}}>
          {text}
        </Link>
        <b>
          {isWrong && <Icon name={count > 0 ? 'warn' : 'good'} />}
          {countOf(count)}
        </b>
        <span className="quiet">{noteOf(count, oldest)}</span>
      </li>
    ))}
  </ul>
)

function noteOf(count: number, oldest: number | null): string {
  // The oldest of those that were counted need not be the oldest.
  if (count === 0 || isCut(count)) return ''
  return oldest === null ? i18n.t('Now') : i18n.t('Oldest {ago}', { ago: agoOf(oldest) })
}

const tilesOf = (now: Overview): readonly Tile[] => [...wrongOf(now), ...underWayOf(now)]

const wrongOf = (now: Overview): readonly Tile[] => [
  {
    text: i18n.t('Alerts'),
    ...now.attention_items,
    isWrong: true,
    to: '/attention',
    search: { status: 'waiting' },
  },
  {
    text: i18n.t('Stuck charges'),
    ...now.stuck_charges,
    isWrong: true,
    to: '/charges',
    search: { state: 'stuck' },
  },
  {
    text: i18n.t('Duplicate charges'),
    ...now.duplicate_charges,
    isWrong: true,
    to: '/charges',
    search: { state: 'duplicate' },
  },
  {
    text: i18n.t('Amounts that differ'),
    ...now.mismatched_charges,
    isWrong: true,
    to: '/charges',
    search: { state: 'mismatch' },
  },
  {
    text: i18n.t('Waiting for approval'),
    ...now.pending_approvals,
    isWrong: true,
    to: '/approvals',
    search: { status: 'pending' },
  },
  {
    text: i18n.t('Exhausted deliveries'),
    ...now.exhausted_deliveries,
    isWrong: true,
    to: '/deliveries',
    search: { status: 'exhausted' },
  },
  {
    text: i18n.t('Deliveries stopped by a fault'),
    ...now.dead_letters,
    isWrong: true,
    to: '/deliveries',
    search: { status: 'dead_lettered' },
  },
  {
    text: i18n.t('Failed fan-outs'),
    ...now.failed_fanouts,
    isWrong: true,
    to: '/fanouts',
    search: { state: 'failed' },
  },
  {
    text: i18n.t('Disabled merchants'),
    count: now.disabled_clients,
    oldest: null,
    isWrong: true,
    to: '/merchants',
    search: { status: 'disabled' },
  },
]

const underWayOf = (now: Overview): readonly Tile[] => [
  {
    text: i18n.t('Charges at a rail'),
    ...now.live_charges,
    isWrong: false,
    to: '/charges',
    search: { state: 'open' },
  },
  {
    text: i18n.t('Refunds to send'),
    ...now.refunds_to_instruct,
    isWrong: false,
    to: '/refunds',
    search: { queue: 'waiting' },
  },
  {
    text: i18n.t('Deliveries on their way'),
    ...now.pending_deliveries,
    isWrong: false,
    to: '/deliveries',
    search: { status: 'pending' },
  },
  {
    text: i18n.t('Events to fan out'),
    ...now.pending_fanouts,
    isWrong: false,
    to: '/fanouts',
    search: { state: 'pending' },
  },
]
