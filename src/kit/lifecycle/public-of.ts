// What a class offers, without its private fields: unlike the class itself, another object can have this type.

export type PublicOf<T> = Pick<T, keyof T>;
