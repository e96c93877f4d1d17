import { render } from "preact";
import { followAddress } from "./address.ts";
import { App } from "./app.tsx";
import { followKeys } from "./keys.ts";
import { loadStrings } from "./strings.ts";
import "./style.css";

const place = document.getElementById("page");
if (place) {
  await loadStrings();
  followAddress();
  followKeys();
  render(<App />, place);
}
