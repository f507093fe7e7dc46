import type { Chapter } from '../sentence.ts'
import { authentication } from './5-authentication.ts'
import { endpoints } from './4-endpoints.ts'
import { errors } from './7-errors.ts'
import { events } from './6-events.ts'
import { limits } from './8-limits.ts'
import { resources } from './2-resources.ts'
import { service } from './1-service.ts'
import { states } from './3-states.ts'
import { versioning } from './9-versioning.ts'

export const chapters: readonly Chapter[] = [
  service,
  resources,
  states,
  endpoints,
  authentication,
  events,
  errors,
  limits,
  versioning,
]
