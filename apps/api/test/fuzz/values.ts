import type { Random } from '@merchant-payments/testing/random'
import { EURO_RAIL, PUSH_RAIL } from '../harness.ts'

/** Valid values by parameter. A parameter that is not listed gets any of these. */
const plausible: Readonly<Record<string, readonly string[]>> = {
  amount: ['1', '5000', '99999999'],
  currency: ['XAF', 'xaf'],
  'payment_method_types[0]': [PUSH_RAIL],
  [`payment_method_data[${PUSH_RAIL}][msisdn]`]: ['237670000001', '+237 670 00 00 01', '670000001'],
  [`destination[${PUSH_RAIL}][msisdn]`]: ['237670000001'],
  'metadata[order]': ['42', ''],
  'address[country]': ['CM'],
  'created[gte]': ['1', '1700000000'],
  'types[0]': ['invoice.*', 'payment_intent.canceled'],
  type: ['payment_intent.*'],
  success_url: ['https://shop.example/thanks?s={CHECKOUT_SESSION_ID}'],
  cancel_url: ['https://shop.example/'],
  return_url: ['https://shop.example/'],
  ui_mode: ['hosted', 'embedded_page'],
  locale: ['fr', 'en'],
  limit: ['1', '3', '100'],
  confirm: ['false'],
  capture_method: ['automatic'],
  cancellation_reason: ['abandoned'],
  email: ['awa@shop.example'],
  phone: ['+237670000001'],
  name: ['Awa Ngo'],
  description: ['Two shirts', ''],
  quantity: ['2'],
}
const plausibleWords = Object.values(plausible).flat()

/** Valid spellings of a declared map or list. */
const inside: Readonly<Record<string, string>> = {
  payment_method_types: 'payment_method_types[0]',
  payment_method_data: `payment_method_data[${PUSH_RAIL}][msisdn]`,
  destination: `destination[${PUSH_RAIL}][msisdn]`,
  metadata: 'metadata[order]',
  created: 'created[gte]',
  types: 'types[0]',
}

/** Parameters that every request refuses, sent sometimes. */
const rare =
  /^(?:capture_method|application_fee_amount|transfer_data|on_behalf_of|line_items|mode|amount_total|payment_intent_data|charge|expand|created|starting_after|ending_before|payment_intent|customer|invoice|expires_at|type|types)\b/

export const isRare = (parameter: string): boolean => rare.test(parameter)

export const spelled = (parameter: string): string => inside[parameter] ?? parameter

export const plausibleValue = (random: Random, name: string): string =>
  random.pick(plausible[name] ?? plausibleWords)

const nasty = [
  '',
  ' ',
  '0',
  '-1',
  '-0',
  '00',
  '+1',
  '1.0',
  '1e3',
  '0x10',
  'NaN',
  'Infinity',
  '2147483648',
  '9007199254740993',
  '1e400',
  '9'.repeat(400),
  '９９',
  'true',
  'null',
  'undefined',
  '[object Object]',
  '__proto__',
  'constructor',
  'toString',
  '\0',
  'a\0b',
  '\r\nSet-Cookie: a=b',
  '\u202e',
  '\ufeff',
  '😀'.repeat(300),
  'é'.repeat(1_000),
  'x'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(5_000),
  "' or 1=1--",
  "'; drop table events; --",
  '$1',
  '%',
  '%s%n',
  '{{7*7}}',
  '${jndi:ldap://a}',
  '<script>',
  '../../etc/passwd',
  'javascript:alert(1)',
  'http://127.0.0.1:5432/',
  'file:///etc/passwd',
  'https://a:b@c/',
  'https://[::1]/',
  'https://xn--/',
  '{"a":1}',
  '[]',
  'mtn_momo_cm,orange_money_cm',
  EURO_RAIL,
  'EUR',
]

export const nastyValue = (random: Random): string => random.pick(nasty)

const spellings: readonly ((name: string) => string)[] = [
  (name) => `${name}[]`,
  (name) => `${name}[0]`,
  (name) => `${name}[9999]`,
  (name) => `${name}[-1]`,
  (name) => `${name}[a]`,
  (name) => `${name}[a][b][c][d]`,
  (name) => `${name}[a][b][c][d][e][f]`,
  (name) => `${name}[__proto__]`,
  (name) => `${name}[constructor][prototype]`,
  (name) => `${name}[`,
  (name) => `${name}]`,
  (name) => `[${name}]`,
  (name) => `${name}[[]]`,
  (name) => `${name}.a`,
  (name) => `${name}\0`,
  (name) => name.toUpperCase(),
  (name) => name.replace(/\[.*/, ''),
  () => '',
  () => '[]',
  () => '__proto__[a]',
]

export const respelled = (random: Random, name: string): string => random.pick(spellings)(name)

/** Forms that are expensive for a careless parser. */
const bombs: readonly (() => string)[] = [
  () => `a${'[b]'.repeat(1_000)}=1`,
  () => `a${'['.repeat(20_000)}=1`,
  () => Array.from({ length: 1_001 }, (_, n) => `a${n}=1`).join('&'),
  () => Array.from({ length: 3_000 }, () => 'amount=1').join('&'),
  () => Array.from({ length: 1_000 }, (_, n) => `metadata[${n}]=1`).join('&'),
  () => Array.from({ length: 1_000 }, () => 'payment_method_types[]=x').join('&'),
  () => 'payment_method_types[999999999]=x',
  () => '&'.repeat(60_000),
  () => '='.repeat(60_000),
  () => '%'.repeat(60_000),
  () => '%00'.repeat(20_000),
  () => `metadata[${'k'.repeat(60_000)}]=1`,
  () => `description=${'%F0%9F%98%80'.repeat(5_000)}`,
  () => 'x'.repeat(65_536),
  () => 'x'.repeat(65_537),
  () => 'x'.repeat(200_000),
]

export const bomb = (random: Random): string => random.pick(bombs)()

/** Unknown and malformed ids. */
export function strangeId(random: Random, known: string): string {
  const at = random.int(0, known.length - 1)
  return random.pick([
    () => `${known.split('_')[0]}_${hex(random)}`,
    () =>
      `${known.slice(0, at)}${random.pick(['%00', '%', '%zz', '%FF', '%2F', '/', '%F0%9F%98%80', 'g', ' ', '?', '#', ';', "'"])}${known.slice(at)}`,
    () => known.slice(0, at),
    () => known.toUpperCase(),
    () => `${known}${known}`,
    () => 'x'.repeat(random.int(1, 9_000)),
    () => encodeURIComponent(nastyValue(random)),
    () => random.pick(['', '.', '..', '%2e%2e', 'search', '%73earch', '{id}', ':id', '*', '__proto__']),
  ])()
}

const hex = (random: Random) => Array.from({ length: 32 }, () => random.int(0, 15).toString(16)).join('')
