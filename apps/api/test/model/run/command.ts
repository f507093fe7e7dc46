import type { AsyncCommand } from 'fast-check'
import { type Ask, judge, type Judgement } from '../books/judge.ts'
import type { Books } from '../books/state.ts'
import type { Desk } from '../steps/desk.ts'
import { Dice } from '../steps/dice.ts'
import { plans, type StepName } from '../steps/index.ts'
import { happenings } from '../steps/world.ts'
import type { Service } from './service.ts'
import { outcomeOf, type Tally } from './tally.ts'

/** A step as it was drawn. */
export interface Step {
  readonly name: StepName
  /** Which of the two merchants takes it. */
  readonly who: 0 | 1
  readonly dice: readonly number[]
}

/** The model of a run: the books, and the requests so far that can be repeated. */
export interface Model {
  readonly books: Books
  readonly asked: Ask[]
  readonly service: Service
}

/** A step of the books and of the service, after which both agree. */
export class StepCommand implements AsyncCommand<Model, Service> {
  readonly #step: Step
  readonly #tally: Tally

  constructor(step: Step, tally: Tally) {
    this.#step = step
    this.#tally = tally
  }

  check(model: Readonly<Model>): boolean {
    const { name } = this.#step
    if (name in happenings) return happeningOf(name).mayCome(model.books)
    return this.#plan(model) !== null
  }

  async run(model: Model, service: Service): Promise<void> {
    const { name } = this.#step
    service.advance()
    if (name in happenings) await this.#happen(model, service)
    else await this.#ask(model)
    for (const shop of model.books.shops.values()) await service.compareEvents(shop)
  }

  async #happen({ books }: Model, service: Service): Promise<void> {
    const { name, dice } = this.#step
    service.note(name)
    await happeningOf(name).come({ books, service, dice: new Dice(dice) })
    this.#tally.add(name, 'ok')
  }

  async #ask(model: Model): Promise<void> {
    const ask = this.#plan(model)
    if (ask === null) throw new Error('a step was taken that could not be planned')
    const judgement = await exchange(model, ask)
    this.#tally.add(ask.operation, outcomeOf(judgement))
    const isFresh = ask.key !== null && !model.asked.some(({ key }) => key === ask.key)
    if (isFresh) model.asked.push(ask)
  }

  #plan({ books, asked, service }: Model): Ask | null {
    const { name, who, dice } = this.#step
    const [one, two] = books.shops.values()
    if (one === undefined || two === undefined) throw new Error('two merchants share the books')
    const [shop, other] = who === 0 ? [one, two] : [two, one]
    const nowSec = Math.floor(service.nowMs / 1_000)
    const desk: Desk = { books, shop, other, dice: new Dice(dice), nowSec, asked }
    const ask = plans[name as keyof typeof plans](desk)
    return ask === null || isCrowded(books, ask) ? null : ask
  }

  toString(): string {
    const { name, who, dice } = this.#step
    return `${name} by ${who} [${dice.join()}]`
  }
}

/** One pass of the worker takes so many charges of one intent, or of one invoice: what is left waits for the next. */
const CHARGES_MAX = 4

function isCrowded({ shops }: Books, { operation, shop, id }: Ask): boolean {
  if (!operation.endsWith('.confirm')) return false
  const intents = shops.get(shop)?.intents ?? []
  const intent = intents.find((one) => one.id === id)
  const siblings = intents.filter(
    (one) => one === intent || (one.invoice !== null && one.invoice === intent?.invoice),
  )
  return siblings.flatMap(({ charges }) => charges).length >= CHARGES_MAX
}

const happeningOf = (name: StepName) => happenings[name as keyof typeof happenings]

/** Asks the books and the service, and compares what they answer. */
export async function exchange({ books, service }: Omit<Model, 'asked'>, ask: Ask): Promise<Judgement> {
  const judgement = judge(books, ask, service.nowMs, service.exchanges)
  await service.exchange(ask, judgement)
  return judgement
}
