import { availability } from './availability.ts'
import { merchants } from './merchants.ts'
import { money } from './money.ts'
import { outside } from './outside.ts'
import { payers } from './payers.ts'
import { secrets } from './secrets.ts'
import { staff } from './staff.ts'
import type { Asset } from './threat.ts'

export const assets: readonly Asset[] = [money, merchants, payers, staff, outside, availability, secrets]
