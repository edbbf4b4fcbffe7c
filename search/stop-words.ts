/** English words that say nothing about what is looked for. They count only where nothing else is asked. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about after again all also am an and any are as at be because been before being between both but by can
  could did do does doing down during each few for from further had has have having he her here hers him his how
  i if in into is it its itself just me more most my no nor not now of off on once only or other our out over own
  same she should so some such than that the their them then there these they this those through to too under
  until up us very was we were what when where which while who whom why will with would you your s t ll re ve m d
  don isn aren wasn doesn didn`
    .trim()
    .split(/\s+/),
);
