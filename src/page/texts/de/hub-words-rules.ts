// Deutsch: was der Hub auf Englisch von Regeln sagt, deren Attribute jetzt anders heißen. Nur die Ansichten der Regeln zeigen es.

export const sentencesOfRules: readonly (readonly [RegExp, string])[] = [
  [
    /^(.+) has problems: mend its text first, then it can be turned$/s,
    "{1} hat Fehler. Beheb sie zuerst, dann lässt sich die Regel umstellen",
  ],
  [
    /^it would have a problem then: (.+); change it by hand$/s,
    "Sie hätte dann einen Fehler ({1}). Ändere sie von Hand",
  ],
  [
    /^"(.+?)" is called (.+) now, by device: make two of it by hand.*$/s,
    "„{1}“ heißt jetzt je nach Gerät anders ({2}). Mach von Hand zwei Regeln daraus, eine für jeden Namen, oder sag, dass sie so richtig ist",
  ],
  [
    /^"(.+?)" still means the same of (.+), and (\d+) more, and "(.+?)" is right for the others only: .*$/s,
    "„{1}“ bedeutet bei {2} und {3} weiteren noch dasselbe, und „{4}“ passt nur für die anderen. Mach von Hand zwei Regeln daraus, eine für jeden Namen, oder sag, dass sie so richtig ist",
  ],
  [
    /^"(.+?)" still means the same of (.+), and "(.+?)" is right for the others only: .*$/s,
    "„{1}“ bedeutet bei {2} noch dasselbe, und „{3}“ passt nur für die anderen. Mach von Hand zwei Regeln daraus, eine für jeden Namen, oder sag, dass sie so richtig ist",
  ],
  [
    /^its text cannot be changed by itself: change it by hand$/,
    "Ihr Text lässt sich nicht von selbst ändern. Ändere sie von Hand",
  ],
  [
    /^"(.+?)" is written in it in a way that only a person can change: change it by hand$/s,
    "„{1}“ steht so darin, dass nur ein Mensch es ändern kann. Ändere sie von Hand",
  ],
  [
    /^"(.+?)" comes from the blueprint "(.+)", and every rule that uses it has it from there: .*$/s,
    "„{1}“ kommt aus der Vorlage „{2}“, und jede ihrer Regeln hat es von dort. Ändere die Vorlage, in rules/blueprints",
  ],
  [
    /^the rule uses no attribute that is called otherwise now: there is nothing to turn$/,
    "In der Regel ist nichts mehr umzustellen.",
  ],
];
