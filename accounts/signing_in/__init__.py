"""How people prove who they are: allauth with our rules, and browsers that signed in before."""
