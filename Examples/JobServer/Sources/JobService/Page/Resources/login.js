// Sends the token once. The answer sets a cookie that scripts cannot read.
const form = document.getElementById("login");
const field = document.getElementById("token");
const problem = document.getElementById("token-error");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  let sentence = "The server does not answer.";
  try {
    const answer = await fetch("/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token: field.value }),
    });
    if (answer.ok) {
      location.reload();
      return;
    }
    sentence = (await answer.json()).error;
  } catch {
    // The page already shows this.
  }
  problem.textContent = sentence;
  problem.hidden = false;
  field.setAttribute("aria-invalid", "true");
  field.focus();
});
