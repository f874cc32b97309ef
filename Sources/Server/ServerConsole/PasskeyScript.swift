/// The script that requests a passkey from the browser and posts it with the page's form (WebAuthn Level 2, 5.1). The
/// forms are hidden until this script detects passkey support.
package enum PasskeyScript {
    package static let text = """
        "use strict";
        const bytes = text => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
        const base64 = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer ?? [])))
          .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

        async function create(form) {
          const { challenge, domain, user, userName, known } = form.dataset;
          const { response } = await navigator.credentials.create({ publicKey: {
            challenge: bytes(challenge), rp: { id: domain, name: "Ubiquity" },
            user: { id: bytes(user), name: userName, displayName: userName },
            pubKeyCredParams: [{ type: "public-key", alg: -7 }], attestation: "none", timeout: 240000,
            excludeCredentials: known.split(" ").filter(Boolean).map(id => ({ type: "public-key", id: bytes(id) })),
            authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
          } });
          return { clientData: response.clientDataJSON, attestation: response.attestationObject };
        }

        async function get(form) {
          const { challenge, domain } = form.dataset;
          const { rawId, response } = await navigator.credentials.get({ publicKey: {
            challenge: bytes(challenge), rpId: domain, userVerification: "required", timeout: 240000,
          } });
          return {
            credential: rawId, clientData: response.clientDataJSON, authenticatorData: response.authenticatorData,
            signature: response.signature, userHandle: response.userHandle,
          };
        }

        for (const form of document.querySelectorAll("form[data-passkey]")) {
          if (!window.PublicKeyCredential) continue;
          form.hidden = false;
          form.addEventListener("submit", async event => {
            event.preventDefault();
            const status = form.querySelector("[role=status]");
            status.textContent = "";
            try {
              const fields = await (form.dataset.passkey === "create" ? create(form) : get(form));
              for (const [name, value] of Object.entries(fields)) form.elements[name].value = base64(value);
              form.submit();
            } catch (error) {
              status.textContent = `No passkey was used: ${error.message}`;
            }
          });
        }

        """
}
