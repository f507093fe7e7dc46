import { approvalTime, secondsLeft } from './form/approval-time.ts'
import type { Checkout } from './form/checkout.ts'
import { dialLink, dialSteps } from './form/dial-steps.ts'
import { type Facts, liveRail } from './form/facts.ts'
import {
  asksForNumber,
  buttonText,
  faultText,
  noticeText,
  numberHint,
  numberLabel,
  safetyNote,
} from './form/form-texts.ts'
import { hostOf } from './form/host-of.ts'
import { inkOn } from './form/ink.ts'
import { asciiDigits } from './form/number.ts'
import { checked, type OrderDraft, viewOf, withNumber } from './form/order-input.ts'
import { openRequestText } from './form/open-request.ts'
import { hasEarlierNumber, payerNumber } from './form/payer-number.ts'
import { type Screen, screenOf, wasCharged } from './form/screen.ts'
import { statusText } from './form/status-text.ts'
import { titleOf } from './form/titles.ts'
import type { BrowserSession, RailOffer } from './form/types.ts'
import { wayOutTexts, wishesOf } from './form/way-out-texts.ts'
import { declineWords } from './form/words/declines.ts'
import { formWords } from './form/words/index.ts'
import { type Locale, textIn } from './form/words/languages.ts'
import { withMaskedNumbers } from './form/words/masked-number.ts'
import { timeText } from './form/words/time.ts'
import { type Child, el } from './tree.ts'

/** What the form shows at one moment. */
export interface Scene {
  readonly facts: Facts
  readonly checkout: Checkout
  readonly locale: Locale
  readonly serverMs: number
  readonly draft: OrderDraft
  readonly setDraft: (draft: OrderDraft) => void
  /** The code that the payer has copied. */
  readonly copied: string | null
  readonly copy: (code: string) => void
}

type On<Name extends Screen['name']> = Extract<Screen, { name: Name }>

/** The form as elements. It has no state of its own. */
export function viewOfScene(scene: Scene): readonly Child[] {
  const { facts, locale, serverMs } = scene
  const screen = screenOf(facts)
  const title = titleIn(screen, facts, locale)
  const warning = openRequestText(facts, locale)
  const leftSec = secondsLeft(facts.session, serverMs)
  const rail = 'rail' in screen ? screen.rail : null
  const time = screen.name === 'approve' ? approvalTime(rail, facts.attempt, leftSec, serverMs) : null
  const say = formWords[locale]
  return [
    el(
      'div',
      { lang: locale },
      el(
        'p',
        { role: 'status', class: facts.online ? 'spoken' : 'banner' },
        statusText(facts, warning ?? title, time, say),
      ),
      el('h2', { key: screen.name, tabindex: '-1' }, title),
      facts.session?.livemode === false && text(say.testMode, 'note'),
      warning !== null && text(warning, 'wait strong'),
      el('div', { key: screen.name }, ...bodyOf(screen, scene, time)),
    ),
  ]
}

/** The title of an unknown payment speaks of a link, which a payer on a shop's own page never had. */
const titleIn = (screen: Screen, { confirm }: Facts, locale: Locale): string =>
  screen.name === 'unreadable'
    ? formWords[locale].unreadableTitle
    : titleOf(screen, confirm === 'leaving', locale)

function bodyOf(
  screen: Screen,
  scene: Scene,
  time: ReturnType<typeof approvalTime> | null,
): readonly Child[] {
  const { checkout, locale } = scene
  const say = formWords[locale]
  const look = () => void checkout.look()
  switch (screen.name) {
    case 'loading':
    case 'succeeded':
      return []
    case 'unreadable':
      // An answer came if the service knows no such payment, so the connection is no cause.
      return [screen.trouble === 'no_answer' && text(say.unreadableText), button(say.retry, look)]
    case 'form':
      return formOf(screen, scene)
    case 'unsure':
      return [text(say.unsureText, 'wait'), button(say.checkNow, look)]
    case 'approve':
      return approve(screen, scene, time)
    case 'at_rail':
      return atRail(screen, scene)
    case 'pending':
      return [
        text(say.pendingText(screen.session.merchant.name)),
        button(say.waitOn, () => void checkout.waitOn()),
        ...wayOut(screen.session, liveRail(screen.session), scene),
      ]
    case 'declined':
      return declined(screen, scene)
    case 'canceled':
      return [text(say.canceledText(screen.session.merchant.name))]
    case 'expired':
      return [
        wasCharged(scene.facts) && text(say.declineWatch, 'wait'),
        text(say.expiredText(screen.session.merchant.name)),
      ]
    case 'no_more_tries':
      return [text(say.noMoreTriesText(screen.session.merchant.name))]
  }
}

function formOf({ session }: On<'form'>, scene: Scene): readonly Child[] {
  const { facts, checkout, locale, draft, setDraft } = scene
  const { rails, merchant } = session
  const { notice, confirm } = facts
  const say = formWords[locale]
  if (rails.length === 0) return [text(say.noRail(merchant.name))]
  const { rail } = viewOf(rails, draft)
  const alert = noticeText(notice, merchant.name, locale)
  const submit = (event: Event): void => {
    event.preventDefault()
    const found = checked(rails, draft)
    setDraft(found.draft)
    if (found.order !== null) void checkout.pay(found.order, locale)
  }
  return [
    el(
      'form',
      { novalidate: true, onsubmit: submit },
      notice === 'free_again' && text(say.freeAgain, 'wait'),
      alert !== null && el('p', { role: 'alert', class: 'alert' }, alert),
      asksForNumber(rails) && numberField(rails, rail, scene),
      rails.length > 1 && railChoice(rails, scene),
      el(
        'button',
        { type: 'submit', 'aria-disabled': confirm === 'sending' ? 'true' : null },
        buttonText(session, rail, confirm, locale),
      ),
      rail !== null && text(safetyNote(rail, locale), 'note'),
    ),
  ]
}

function numberField(rails: readonly RailOffer[], rail: RailOffer | null, scene: Scene): Child {
  const { facts, checkout, locale, draft, setDraft } = scene
  const error = faultText(draft.fault, facts.notice, rails, locale)
  const write = ({ target }: Event): void => {
    const input = target as HTMLInputElement
    const { value: typed, selectionStart, selectionEnd } = input
    // Digits of other scripts appear as the API reads them, so that the payer can check them.
    const number = asciiDigits(typed)
    // Each of the two draws the form. With the old draft, it would write the old number, and the caret would jump.
    setDraft(withNumber(rails, draft, number))
    checkout.writeNumber(number)
    if (number !== typed) input.setSelectionRange(selectionStart, selectionEnd)
  }
  return el(
    'div',
    {},
    el('label', { for: 'number' }, numberLabel(rails, locale)),
    el('span', { id: 'hint', class: 'note' }, numberHint(rail, locale)),
    el('input', {
      id: 'number',
      type: 'tel',
      name: 'msisdn',
      inputmode: 'tel',
      autocomplete: 'tel',
      value: draft.number,
      oninput: write,
      'aria-invalid': error === null ? null : 'true',
      'aria-describedby': error === null ? 'hint' : 'hint error',
    }),
    error !== null && el('p', { id: 'error', role: 'alert', class: 'alert' }, error),
  )
}

function railChoice(rails: readonly RailOffer[], { locale, draft, setDraft }: Scene): Child {
  const say = formWords[locale]
  const { rail, isProposed, other } = viewOf(rails, draft)
  const name = rail === null ? '' : textIn(rail.name, locale)
  const proposal = isProposed ? say.railProposed(name) : ''
  return el(
    'fieldset',
    {},
    el('legend', {}, say.railQuestion),
    ...rails.map((offer) =>
      el(
        'label',
        { class: 'choice' },
        el('input', {
          type: 'radio',
          name: 'rail',
          value: offer.code,
          checked: offer.code === rail?.code,
          onchange: () => setDraft({ ...draft, chosen: offer.code }),
        }),
        markOf(offer),
        el('span', {}, textIn(offer.name, locale)),
      ),
    ),
    el(
      'p',
      { class: other === null ? 'note' : 'note strong', 'aria-live': 'polite' },
      other === null ? proposal : say.railDiffers(textIn(other.name, locale), name),
    ),
  )
}

/** The operator's initial on its color, beside its name. */
const markOf = ({ color, name }: RailOffer): Child =>
  color !== null &&
  el(
    'span',
    { class: 'mark', 'aria-hidden': 'true', css: `background:${color};color:${inkOn(color)}` },
    Array.from(name.fr)[0] ?? '',
  )

function approve(
  { rail, session }: On<'approve'>,
  scene: Scene,
  time: ReturnType<typeof approvalTime> | null,
): readonly Child[] {
  const { facts, checkout, locale } = scene
  const say = formWords[locale]
  const number = payerNumber(facts)
  const payee = rail?.prompt?.payee_name ?? null
  const secondsLeft = time?.secondsLeft ?? null
  return [
    el(
      'div',
      { class: 'wait' },
      rail !== null && text(say.approveStep(textIn(rail.name, locale))),
      number !== null && text(say.approveNumber(number)),
      payee !== null && text(say.approvePayee(payee)),
      deadline(session, locale),
      secondsLeft !== null &&
        el(
          'p',
          { role: 'timer', class: 'strong' },
          say.timeLeft(Math.floor(secondsLeft / 60), secondsLeft % 60),
        ),
      time?.isOver === true && text(say.goesOnAfterAnswer, 'strong'),
    ),
    time?.isHelpShown === true && rail !== null && dialHelp(rail, scene),
    time?.isSlow === true && text(say.slow, 'wait strong'),
    time?.isSlow === true && button(say.checkNow, () => void checkout.look(), 'plain'),
    ...wayOut(session, rail, scene),
    text(say.updates, 'note'),
  ]
}

function atRail({ rail, session, url }: On<'at_rail'>, scene: Scene): readonly Child[] {
  const { checkout, locale } = scene
  const say = formWords[locale]
  return [
    text(say.atRailWatching, 'wait'),
    text(say.atRailText(textIn(rail.name, locale))),
    deadline(session, locale),
    button(say.toRail(hostOf(url)), () => checkout.leaveFor(url)),
    button(say.checkNow, () => void checkout.look(), 'plain'),
    ...wayOut(session, rail, scene),
    text(say.updates, 'note'),
  ]
}

function declined({ error, session }: On<'declined'>, { facts, checkout, locale }: Scene): readonly Child[] {
  const say = formWords[locale]
  const { reason, advice } = declineWords(error.code, locale, session.merchant.name)
  const knowsNumber = hasEarlierNumber(facts, session)
  const railSays = [error.message, error.decline_code].filter((each) => each !== null)
  return [
    el('p', {}, el('strong', {}, reason), ` ${advice}`),
    button(knowsNumber ? say.sameNumber : say.tryAgain, () => checkout.tryAgain('same_number')),
    knowsNumber && button(say.otherNumber, () => checkout.tryAgain('other_number'), 'plain'),
    session.rails.length > 1 && button(say.otherWay, () => checkout.tryAgain('other_way'), 'plain'),
    text(say.declineWatch, 'note'),
    railSays.length > 0 &&
      el(
        'details',
        { class: 'note' },
        el('summary', {}, say.railSays),
        ...railSays.map((each) => el('p', { lang: '' }, withMaskedNumbers(each))),
      ),
  ]
}

function dialHelp(rail: RailOffer, { locale, copied, copy }: Scene): Child {
  const say = formWords[locale]
  const help = dialSteps(rail, locale)
  if (help === null) return null
  const { dial, steps, note } = help
  return el(
    'section',
    { class: 'help' },
    el('h3', {}, say.noPromptTitle),
    steps.length > 0 && el('ol', {}, ...steps.map((step) => el('li', {}, step))),
    dial !== null && el('a', { class: 'button', href: dialLink(dial) }, say.dial(dial)),
    dial !== null && button(copied === dial ? say.copied : say.copy, () => copy(dial), 'plain'),
    note !== null && text(note, 'note'),
  )
}

function wayOut(session: BrowserSession, rail: RailOffer | null, scene: Scene): readonly Child[] {
  const { facts, checkout, locale, serverMs } = scene
  const { wish } = facts
  const leftSec = secondsLeft(session, serverMs)
  return [
    ...wishesOf(session, rail, locale).map(([name, label]) =>
      el(
        'button',
        {
          type: 'button',
          class: 'plain',
          'aria-expanded': String(wish === name),
          'aria-controls': 'way-out',
          onclick: () => checkout.wish(wish === name ? null : name),
        },
        label,
      ),
    ),
    el(
      'div',
      { id: 'way-out' },
      wish !== null &&
        el(
          'div',
          { class: 'wait note' },
          text(formWords[locale].wishWarning, 'strong'),
          ...wayOutTexts(session, rail, facts, leftSec, locale).map((each) => text(each)),
        ),
    ),
  ]
}

const deadline = ({ payment_intent: intent }: BrowserSession, locale: Locale): Child => {
  const approveBy = intent.live_charge?.approve_by
  return approveBy !== undefined && text(formWords[locale].approveBy(timeText(approveBy * 1_000, locale)))
}

const text = (content: string, look: string | null = null): Child => el('p', { class: look }, content)

const button = (label: string, onclick: () => void, look: string | null = null): Child =>
  el('button', { type: 'button', class: look, onclick }, label)
