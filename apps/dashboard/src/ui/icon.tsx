const shapes = {
  good: 'M3.5 8.5l3 3 6-7',
  wait: 'M8 4v4l2.5 2M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13',
  bad: 'M4 4l8 8M12 4l-8 8',
  warn: 'M8 2l6.5 11.5h-13zM8 6.5v3M8 11.6v.4',
  quiet: 'M4 8h8',
  find: 'M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9M10.5 10.5l3.5 3.5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
} as const

export type IconName = keyof typeof shapes

/** Decorative: a text beside it says the same. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={shapes[name]} />
  </svg>
)
