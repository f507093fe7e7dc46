import { readPreference } from './preferences.ts'

/** Zones in which times are shown, with the offset that they have all year. */
const zones = {
  utc: { name: 'UTC', timeZone: 'UTC', offset: 'Z', offsetSec: 0 },
  douala: { name: 'Douala', timeZone: 'Africa/Douala', offset: '+01:00', offsetSec: 3_600 },
} as const

export type Zone = keyof typeof zones
export const zoneNames: readonly Zone[] = ['utc', 'douala']

export const zoneOf = (name: string | null | undefined): Zone => (name === 'douala' ? 'douala' : 'utc')
export const factsOf = (zone: Zone): (typeof zones)[Zone] => zones[zone]

/** The zone that the staff member chose. */
export const ownZone: Zone = zoneOf(readPreference('zone'))
export const zoneName: string = zones[ownZone].name
