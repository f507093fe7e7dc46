import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { idField, objectField } from '../fields.ts'
import { listOf } from '../list.ts'
import {
  change,
  instant,
  instantOrNull,
  merchantField,
  staffListQuery,
  staffRead,
  textOrNull,
} from './common.ts'
import { attentionAlerts, attentionStatuses, shownAttentionStatuses } from '../words.ts'

export type AttentionAlert = (typeof attentionAlerts)[number]

export const AttentionItem = z
  .strictObject({
    id: idField('att', exampleIds.attention),
    object: objectField('attention_item'),
    alert: z.enum(attentionAlerts).describe('The alert, as docs/operations.md explains it.'),
    about: z.string().describe('The id of the object that the alert is about.'),
    merchant: merchantField,
    payment_intent: textOrNull('The id of the payment that shows the object.', 'if no payment does'),
    facts: z
      .record(z.string(), z.union([z.string(), z.int(), z.null()]))
      .describe('Ids, counts and codes of the newest alert.'),
    rail_code: textOrNull('The last code that the rail answered about the object.', 'if it gave none'),
    rail_message: textOrNull(
      'The last message that the rail answered about the object. `[redacted]` after an erasure.',
      'if it gave none',
    ),
    version: z
      .string()
      .describe(
        'Changes whenever an alert tells of something new: other facts, another state of the object, or one more event of a kind that happens once each time. To resolve the item, send the version that was seen.',
      ),
    times: z.int().describe('How many times the alert was raised.'),
    status: z
      .enum(attentionStatuses)
      .describe(
        'State of the item. `open`: nobody handles it. `acknowledged`: `assignee` does. `resolved`: handled; the same cause only adds to its count, and something new opens it again.',
      ),
    assignee: z
      .strictObject({
        subject: z.string().describe('The staff member’s subject at the OpenID provider.'),
        name: z.string().describe('The staff member’s name.'),
      })
      .nullable()
      .describe('The staff member who handles it. Null if nobody does.'),
    created: instant('When the alert was first raised.'),
    last_at: instant('When the alert was last raised.'),
    resolved_at: instantOrNull('When it was resolved.', 'while it waits'),
  })
  .meta({
    id: 'AttentionItem',
    description: 'An alert about an object, which a person handles. Its notes are in the audit log.',
  })
export type AttentionItem = z.infer<typeof AttentionItem>

export const listAttentionItems = staffRead({
  id: 'attentionItems.list',
  path: '/attention_items',
  summary: 'List alerts that need a person',
  description: [
    'Pages through the alerts about objects of all merchants, newest first. All given filters must hold.',
  ],
  query: z.strictObject({
    ...staffListQuery('att'),
    status: z
      .enum(shownAttentionStatuses, `must be one of ${shownAttentionStatuses.join(', ')}`)
      .optional()
      .describe('Shows items in this state. `waiting`: open and acknowledged ones.'),
    alert: z
      .enum(attentionAlerts, `must be one of ${attentionAlerts.join(', ')}`)
      .optional()
      .describe('Shows items of this alert.'),
    assignee: z
      .string('must be a single subject')
      .min(1, 'must not be empty')
      .optional()
      .describe('Shows items that the staff member with this subject handles.'),
  }),
  schema: listOf(AttentionItem),
  ok: 'One page of items.',
  example: { params: { status: 'waiting' }, answer: { object: 'list' } },
})

export const acknowledgeAttentionItem = change({
  id: 'attentionItems.acknowledge',
  role: 'operator',
  path: '/attention_items/{id}/acknowledge',
  prefix: 'att',
  body: {
    seen_assignee: z
      .string('must be a single subject')
      .max(255, 'must have at most 255 characters')
      .optional()
      .describe(
        'Subject of `assignee` as the caller saw it. Empty if nobody handled the item. Default: not compared.',
      ),
  },
  summary: 'Take an alert that needs a person',
  description: [
    'Makes the caller its assignee, also if somebody else was. The reason is a note for the shift.',
    'If the item has another assignee than the caller saw, it stays as it is and the answer is a 409 `attention_changed`.',
  ],
  errors: ['attention_resolved', 'attention_changed'],
  example: {
    id: exampleIds.attention,
    params: { reason: 'I am asking the operator.' },
    answer: { object: 'audit_entry', action: 'attention.acknowledge', target: exampleIds.attention },
  },
})

export const resolveAttentionItem = change({
  id: 'attentionItems.resolve',
  role: 'operator',
  path: '/attention_items/{id}/resolve',
  prefix: 'att',
  body: {
    seen_version: z
      .string('must be a single version')
      .max(64, 'must have at most 64 characters')
      .describe('`version` of the item as the caller saw it.'),
  },
  summary: 'Mark an alert as handled',
  description: [
    'Ends the item, and changes nothing of its object. A later alert of this kind about the object opens it again only if it tells of something new: the event happened once more, the facts or the state of the object differ, or the cause was gone in between.',
    'If an alert has told of something new since the caller saw the item, the item stays as it is and the answer is a 409 `attention_changed`.',
  ],
  errors: ['attention_resolved', 'attention_changed'],
  example: {
    id: exampleIds.attention,
    params: { seen_version: exampleIds.attentionVersion, reason: 'The operator has confirmed it.' },
    answer: { object: 'audit_entry', action: 'attention.resolve', target: exampleIds.attention },
  },
})
