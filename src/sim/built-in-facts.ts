import type { Fact } from "./fact.ts";

type Table = readonly (readonly [subject: string, answer: string])[];

const capitals: Table = [
  ["France", "Paris"],
  ["Germany", "Berlin"],
  ["Italy", "Rome"],
  ["Spain", "Madrid"],
  ["Portugal", "Lisbon"],
  ["Netherlands", "Amsterdam"],
  ["Belgium", "Brussels"],
  ["Austria", "Vienna"],
  ["Switzerland", "Bern"],
  ["Poland", "Warsaw"],
  ["Czech Republic|Czechia", "Prague"],
  ["Hungary", "Budapest"],
  ["Greece", "Athens"],
  ["Sweden", "Stockholm"],
  ["Norway", "Oslo"],
  ["Denmark", "Copenhagen"],
  ["Finland", "Helsinki"],
  ["Iceland", "Reykjavik"],
  ["Ireland", "Dublin"],
  ["United Kingdom|UK|Britain|England", "London"],
  ["Scotland", "Edinburgh"],
  ["Ukraine", "Kyiv"],
  ["Russia", "Moscow"],
  ["Turkey|Türkiye", "Ankara"],
  ["Egypt", "Cairo"],
  ["Kenya", "Nairobi"],
  ["Nigeria", "Abuja"],
  ["Morocco", "Rabat"],
  ["Ethiopia", "Addis Ababa"],
  ["Ghana", "Accra"],
  ["India", "New Delhi"],
  ["China", "Beijing"],
  ["Japan", "Tokyo"],
  ["South Korea", "Seoul"],
  ["Thailand", "Bangkok"],
  ["Vietnam", "Hanoi"],
  ["Indonesia", "Jakarta"],
  ["Pakistan", "Islamabad"],
  ["Australia", "Canberra"],
  ["New Zealand", "Wellington"],
  ["Canada", "Ottawa"],
  ["United States|USA|US", "Washington"],
  ["Mexico", "Mexico City"],
  ["Brazil", "Brasilia"],
  ["Argentina", "Buenos Aires"],
  ["Chile", "Santiago"],
  ["Peru", "Lima"],
  ["Colombia", "Bogota"],
];

/** Where another city comes to mind first. */
const mistakenCapitals: { readonly [capital: string]: readonly string[] } = {
  Canberra: ["Sydney", "Melbourne"],
  Ottawa: ["Toronto", "Montreal"],
  Bern: ["Zurich", "Geneva"],
  Ankara: ["Istanbul"],
  Brasilia: ["Rio de Janeiro", "Sao Paulo"],
  Wellington: ["Auckland"],
  Abuja: ["Lagos"],
  Rabat: ["Casablanca", "Marrakesh"],
  Washington: ["New York"],
  Islamabad: ["Karachi", "Lahore"],
};

/** Degrees Celsius at one atmosphere, rounded. */
const boilingPoints: Table = [
  ["water", "100 °C"],
  ["ethanol", "78 °C"],
  ["methanol", "65 °C"],
  ["acetone", "56 °C"],
  ["mercury", "357 °C"],
  ["nitrogen", "-196 °C"],
  ["oxygen", "-183 °C"],
  ["hydrogen", "-253 °C"],
  ["helium", "-269 °C"],
  ["ammonia", "-33 °C"],
  ["benzene", "80 °C"],
  ["bromine", "59 °C"],
];

const works: readonly (readonly [work: string, author: string, year: string])[] = [
  ["Hamlet", "William Shakespeare", "1603"],
  ["Macbeth", "William Shakespeare", "1606"],
  ["Don Quixote", "Miguel de Cervantes", "1605"],
  ["Pride and Prejudice", "Jane Austen", "1813"],
  ["Emma", "Jane Austen", "1815"],
  ["Frankenstein", "Mary Shelley", "1818"],
  ["Jane Eyre", "Charlotte Brontë", "1847"],
  ["Wuthering Heights", "Emily Brontë", "1847"],
  ["Moby-Dick", "Herman Melville", "1851"],
  ["Madame Bovary", "Gustave Flaubert", "1856"],
  ["Great Expectations", "Charles Dickens", "1861"],
  ["War and Peace", "Leo Tolstoy", "1869"],
  ["Anna Karenina", "Leo Tolstoy", "1878"],
  ["Crime and Punishment", "Fyodor Dostoevsky", "1866"],
  ["On the Origin of Species", "Charles Darwin", "1859"],
  ["The Metamorphosis", "Franz Kafka", "1915"],
  ["Ulysses", "James Joyce", "1922"],
  ["The Great Gatsby", "F. Scott Fitzgerald", "1925"],
  ["Mrs Dalloway", "Virginia Woolf", "1925"],
  ["Brave New World", "Aldous Huxley", "1932"],
  ["Animal Farm", "George Orwell", "1945"],
  ["Nineteen Eighty-Four|1984", "George Orwell", "1949"],
  ["One Hundred Years of Solitude", "Gabriel García Márquez", "1967"],
];

/** Years of birth, by whole names and by family names that are known for one person alone. */
const births: Table = [
  ["Miguel de Cervantes|Cervantes", "1547"],
  ["William Shakespeare|Shakespeare", "1564"],
  ["Jane Austen|Austen", "1775"],
  ["Mary Shelley", "1797"],
  ["Charles Darwin|Darwin", "1809"],
  ["Charles Dickens|Dickens", "1812"],
  ["Charlotte Brontë", "1816"],
  ["Emily Brontë", "1818"],
  ["Herman Melville|Melville", "1819"],
  ["Gustave Flaubert|Flaubert", "1821"],
  ["Fyodor Dostoevsky|Dostoevsky", "1821"],
  ["Leo Tolstoy|Tolstoy", "1828"],
  ["James Joyce", "1882"],
  ["Virginia Woolf|Woolf", "1882"],
  ["Franz Kafka|Kafka", "1883"],
  ["Aldous Huxley", "1894"],
  ["F. Scott Fitzgerald|Scott Fitzgerald", "1896"],
  ["George Orwell|Orwell", "1903"],
  ["Gabriel García Márquez|García Márquez", "1927"],
];

const capitalOf = (country: string): string =>
  country
    .split("|")
    .flatMap((name) =>
      ["capital of", "capital of the", "capital city of", "capital city of the"].map(
        (words) => `${words} ${name}`,
      ),
    )
    .join("|");

/** What every simulated model knows without a file: capitals, boiling points, works with their authors and dates, and these authors' years of birth. */
export const builtInFacts: readonly Fact[] = [
  ...capitals.map(([country, answer]): Fact => {
    const wrong = mistakenCapitals[answer];
    return { about: ["capital", capitalOf(country)], answer, ...(wrong ? { wrong: [...wrong] } : {}) };
  }),
  ...boilingPoints.map(([substance, answer]): Fact => ({
    about: ["boil|boils|boiling point", substance],
    answer,
  })),
  ...works.flatMap(([work, author, year]): Fact[] => [
    { about: ["who wrote|author of|the author|written by", work], answer: author },
    {
      about: ["when was|when did|what year|which year", work, "published|written|appear|come out|printed"],
      answer: year,
    },
  ]),
  ...births.map(([author, answer]): Fact => ({
    about: [
      "what year|which year|when was|when is|year of birth|birth year|date of birth|birthday",
      "born|birth|birthday",
      author,
    ],
    answer,
  })),
];
