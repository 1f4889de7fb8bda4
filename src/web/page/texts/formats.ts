// The browser's own formatters. Making one takes longer than all the rest of drawing a tile, so each is made once.

function once<Options, Format>(make: (language: string, options: Options) => Format) {
  const made = new Map<string, Format>();
  return (language: string, options: Options): Format => {
    const key = `${language} ${JSON.stringify(options)}`;
    let format = made.get(key);
    if (format === undefined) {
      format = make(language, options);
      made.set(key, format);
    }
    return format;
  };
}

export const numberFormat = once(
  (language: string, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(language, options),
);
export const timeFormat = once(
  (language: string, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, options),
);
export const ageFormat = once(
  (language: string, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(language, options),
);
