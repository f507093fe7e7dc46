/**
 * An element as it should be. Properties that begin with `on` are handlers, and null leaves an attribute out. `css`
 * sets styles that a page's policy refuses in an attribute.
 */
export interface Wanted {
  readonly tag: string
  readonly props: Props
  readonly children: readonly Child[]
}

/** Null and false keep a place, so that what follows stays the same element and keeps its focus. */
export type Child = Wanted | string | null | false

type Value = string | boolean | null | ((event: Event) => void)

export type Props = Readonly<Record<string, Value>>

export const el = (tag: string, props: Props = {}, ...children: readonly Child[]): Wanted => ({
  tag,
  props,
  children,
})

const propsOf = new WeakMap<Element, Props>()

/** Changes the children of a node into those that are wanted. Elements of the same tag and `key` stay. */
export function patch(parent: Node, wanted: readonly Child[]): void {
  wanted.forEach((child, place) => patchChild(parent, parent.childNodes[place], child))
  while (parent.childNodes.length > wanted.length) parent.lastChild?.remove()
}

function patchChild(parent: Node, present: ChildNode | undefined, child: Child): void {
  if (child === null || child === false || typeof child === 'string') {
    const text = child || ''
    if (!(present instanceof Text)) put(parent, present, document.createTextNode(text))
    else if (present.data !== text) present.data = text
    return
  }
  const { tag, props, children } = child
  const isSame =
    present instanceof Element && present.localName === tag && propsOf.get(present)?.['key'] === props['key']
  const element = isSame ? present : put(parent, present, document.createElement(tag))
  patch(element, children)
  setProps(element, props)
}

function put<T extends ChildNode>(parent: Node, present: ChildNode | undefined, next: T): T {
  if (present === undefined) parent.appendChild(next)
  else parent.replaceChild(next, present)
  return next
}

function setProps(element: Element, props: Props): void {
  const before = propsOf.get(element) ?? {}
  propsOf.set(element, props)
  for (const name of Object.keys({ ...before, ...props })) {
    const value = props[name] ?? null
    // The payer changes these two themselves.
    if (name === 'value' || name === 'checked') assign(element, name, value)
    else if (name === 'key' || before[name] === value) continue
    else if (name.startsWith('on')) assign(element, name, value)
    else if (name === 'css') (element as HTMLElement).style.cssText = String(value)
    else if (value === null || value === false) element.removeAttribute(name)
    else element.setAttribute(name, String(value))
  }
}

function assign(element: Element, name: string, value: Value): void {
  const target = element as unknown as Record<string, Value>
  if (target[name] !== value) target[name] = value
}
